# What the programs of the GPU targets are built from: the CUDA compiler, CUPTI, cuBLASLt, cuDNN,
# NVRTC and the headers of cudnn-frontend. All there: PTXBATCH_GPU_TARGETS is ON. Something missing: the
# rest of PTXBatch is built without them, and `ptxbatch run` refuses those targets by name.
set(PTXBATCH_GPU AUTO CACHE STRING "Build the programs of the GPU targets: AUTO, ON or OFF")
set(PTXBATCH_GPU_TARGETS OFF)
if(PTXBATCH_GPU STREQUAL "OFF")
  return()
endif()

find_program(PTXBATCH_NVCC nvcc
             HINTS ENV CUDA_HOME PATHS /usr/local/cuda ${PTXBATCH_DEPS_DIR}/wheels/nvidia/cu13
             PATH_SUFFIXES bin)
if(PTXBATCH_NVCC)
  get_filename_component(cuda_bin ${PTXBATCH_NVCC} REALPATH)
  get_filename_component(cuda_bin ${cuda_bin} DIRECTORY)
  get_filename_component(cuda_home ${cuda_bin} DIRECTORY)
endif()
set(gpu_roots ${cuda_home} ${cuda_home}/extras/CUPTI ${PTXBATCH_DEPS_DIR}/wheels/nvidia/cu13
              ${PTXBATCH_DEPS_DIR}/wheels/nvidia/cudnn /usr)
set(gpu_folders lib64 lib lib/x86_64-linux-gnu targets/x86_64-linux/lib)

find_path(CUDA_INCLUDE_DIR cuda.h HINTS ${gpu_roots} PATH_SUFFIXES include)
find_path(CUPTI_INCLUDE_DIR cupti.h HINTS ${gpu_roots} PATH_SUFFIXES include)
find_path(CUBLASLT_INCLUDE_DIR cublasLt.h HINTS ${gpu_roots} PATH_SUFFIXES include)
find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${gpu_roots} PATH_SUFFIXES include)
find_path(CUDNN_FRONTEND_INCLUDE_DIR cudnn_frontend.h
          HINTS ${PTXBATCH_DEPS_DIR}/wheels/include NO_DEFAULT_PATH)
# The driver's own library, or the one to link against where there is no driver.
find_library(CUDA_DRIVER_LIBRARY cuda HINTS ${gpu_roots}
             PATH_SUFFIXES ${gpu_folders} lib64/stubs lib/stubs targets/x86_64-linux/lib/stubs)
find_library(CUPTI_LIBRARY NAMES cupti libcupti.so.13 HINTS ${gpu_roots}
             PATH_SUFFIXES ${gpu_folders})
find_library(CUBLASLT_LIBRARY NAMES cublasLt libcublasLt.so.13 HINTS ${gpu_roots}
             PATH_SUFFIXES ${gpu_folders})
find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.9 HINTS ${gpu_roots}
             PATH_SUFFIXES ${gpu_folders})

find_library(CUDART_STATIC_LIBRARY cudart_static HINTS ${gpu_roots}
             PATH_SUFFIXES ${gpu_folders})
# cudnn-frontend refers to it for kernels that are not used here.
find_library(NVRTC_LIBRARY NAMES nvrtc libnvrtc.so.13 HINTS ${gpu_roots}
             PATH_SUFFIXES ${gpu_folders})

set(gpu_missing "")
foreach(part PTXBATCH_NVCC CUDA_INCLUDE_DIR CUPTI_INCLUDE_DIR CUBLASLT_INCLUDE_DIR
             CUDNN_INCLUDE_DIR CUDNN_FRONTEND_INCLUDE_DIR CUDA_DRIVER_LIBRARY CUPTI_LIBRARY
             CUBLASLT_LIBRARY CUDNN_LIBRARY CUDART_STATIC_LIBRARY NVRTC_LIBRARY)
  if(NOT ${part})
    list(APPEND gpu_missing ${part})
  endif()
endforeach()
if(gpu_missing)
  list(JOIN gpu_missing ", " gpu_missing)
  if(PTXBATCH_GPU STREQUAL "ON")
    message(FATAL_ERROR "The GPU targets cannot be built; not found: ${gpu_missing}")
  endif()
  message(STATUS "GPU targets: not built (not found: ${gpu_missing})")
  return()
endif()

set(CMAKE_CUDA_COMPILER ${PTXBATCH_NVCC})
set(CMAKE_CUDA_ARCHITECTURES 90-real 100-real)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
if(PTXBATCH_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${PTXBATCH_CCACHE})
endif()
enable_language(CUDA)
# CMake before 3.26 does not know that nvcc speaks C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)

add_library(gpu_libraries INTERFACE)
target_include_directories(gpu_libraries SYSTEM INTERFACE
  ${CUDA_INCLUDE_DIR} ${CUPTI_INCLUDE_DIR} ${CUBLASLT_INCLUDE_DIR} ${CUDNN_INCLUDE_DIR})
target_link_libraries(gpu_libraries INTERFACE ${CUDA_DRIVER_LIBRARY} ${CMAKE_DL_LIBS})
set(PTXBATCH_GPU_TARGETS ON)
message(STATUS "GPU targets: built with ${PTXBATCH_NVCC}")
