# The language level, the warnings and the sanitizers that every target of the project shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# ptxbatch looks for its keepers and runners beside itself.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# Line numbers for back traces: all of the debug information takes a third of a compilation's time.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(PTXBATCH_CCACHE ccache)
if(PTXBATCH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PTXBATCH_CCACHE})
endif()

add_library(ptxbatch_options INTERFACE)
target_include_directories(ptxbatch_options INTERFACE ${PROJECT_SOURCE_DIR})
# nvcc takes other words; its host code gets the warnings that its generated lines can bear.
target_compile_options(ptxbatch_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
# GCC 12 warns of std::string's own copies at -O3 (GCC bug 105651). clang-tidy, which does not know
# the option, looks at other builds.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ptxbatch_options INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-Wno-restrict>)
endif()
if(PTXBATCH_WARNINGS_AS_ERRORS)
  target_compile_options(ptxbatch_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(PTXBATCH_SANITIZE)
  target_compile_options(ptxbatch_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${PTXBATCH_SANITIZE};-fno-omit-frame-pointer>)
  target_link_options(ptxbatch_options INTERFACE -fsanitize=${PTXBATCH_SANITIZE})
endif()
