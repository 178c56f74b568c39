// Where compilers, disassemblers and the TVM-FFI headers are, decided once and for all of ranks/.
//
//   PTXBATCH_TVM_FFI  folder with TVM-FFI's include/ and lib/; else the one this build was made
//   with CUDA_HOME         the CUDA toolkit; else nvcc's in PATH, /usr/local/cuda, and the unpacked
//   wheels PATH              g++, objdump
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

struct TvmFfi {
  std::string include_folder;
  std::string library_folder;
};

/// kSystem with a hint when headers or library are not where they should be.
Result<TvmFfi> find_tvm_ffi();

/// g++, or the `program` that an experiment file names (a path, or a name looked up in PATH).
Result<std::string> find_host_compiler(const std::string& program);

/// nvcc, or the `program` that an experiment file names.
Result<std::string> find_nvcc(const std::string& program);

/// The folders of `nvcc`'s toolkit that hold a stub of libcuda, to link where there is no driver.
std::vector<std::string> cuda_stub_folders(const std::string& nvcc);

Result<std::string> find_objdump();
Result<std::string> find_cuobjdump();
Result<std::string> find_compute_sanitizer();
Result<std::string> find_ncu();

}  // namespace ptxbatch
