# Every outside library in one place. install_dependencies.sh installs what is looked for here; a
# library that is missing stops the configuration with the name of its package.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)      # libssl-dev: SHA-256
find_package(ZLIB REQUIRED)                           # zlib1g-dev: CRC-32
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS CXX)             # libopenmpi-dev; the C interface
find_package(nlohmann_json 3.11 REQUIRED)             # nlohmann-json3-dev: JSON and CBOR
find_package(spdlog 1.9 REQUIRED)                     # libspdlog-dev
find_package(CLI11 2.1 REQUIRED)                      # libcli11-dev
find_package(tl-expected REQUIRED)                    # libexpected-dev: Result<T>
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)  # libtomlplusplus-dev
pkg_check_modules(hdf5 REQUIRED IMPORTED_TARGET hdf5-serial)           # libhdf5-dev
pkg_check_modules(openblas REQUIRED IMPORTED_TARGET openblas)          # libopenblas-dev
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)         # libseccomp-dev
pkg_check_modules(pugixml REQUIRED IMPORTED_TARGET pugixml)            # libpugixml-dev
pkg_check_modules(libcurl REQUIRED IMPORTED_TARGET libcurl)            # libcurl4-openssl-dev

# The wheels that install_dependencies.sh unpacks into the checkout.
set(PTXBATCH_DEPS_DIR ${PROJECT_SOURCE_DIR}/.deps CACHE PATH "Unpacked wheels")
find_path(TVM_FFI_INCLUDE_DIR tvm/ffi/c_api.h
          HINTS ${PTXBATCH_DEPS_DIR}/wheels/tvm_ffi/include NO_DEFAULT_PATH)
find_library(TVM_FFI_LIBRARY tvm_ffi HINTS ${PTXBATCH_DEPS_DIR}/wheels/tvm_ffi/lib NO_DEFAULT_PATH)
if(NOT TVM_FFI_INCLUDE_DIR OR NOT TVM_FFI_LIBRARY)
  message(FATAL_ERROR "TVM-FFI is not in ${PTXBATCH_DEPS_DIR}/wheels. Run: bash install_dependencies.sh")
endif()
add_library(tvm_ffi SHARED IMPORTED)
set_target_properties(tvm_ffi PROPERTIES IMPORTED_LOCATION ${TVM_FFI_LIBRARY}
                                         INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${TVM_FFI_INCLUDE_DIR}
                                         INTERFACE_INCLUDE_DIRECTORIES ${TVM_FFI_INCLUDE_DIR})
