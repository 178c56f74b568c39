// A candidate's shared object in this process: loaded, and its `run` called through the TVM-FFI C
// ABI (`__tvm_ffi_run`), without Python.
#pragma once

#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>

#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/problems/problem.h"

namespace ptxbatch {

/// The arguments of `run`: inputs in definition order, scalars by value, then outputs.
class CandidateArguments {
 public:
  /// `tensor_data` points to each tensor, scalars left out, in the order of the arguments.
  CandidateArguments(const std::vector<Argument>& inputs, const std::vector<Tensor>& outputs,
                     const std::vector<void*>& tensor_data, DLDevice device);
  CandidateArguments(const CandidateArguments&) = delete;
  CandidateArguments& operator=(const CandidateArguments&) = delete;

  [[nodiscard]] const std::vector<TVMFFIAny>& values() const { return values_; }

 private:
  struct BoundTensor {
    DLTensor tensor{};
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
  };
  void add_tensor(const Tensor& tensor, void* data, DLDevice device);
  void add_scalar(const Argument& argument);

  std::vector<BoundTensor> tensors_;  // sized once: values_ points into it
  std::vector<TVMFFIAny> values_;
};

class Candidate {
 public:
  /// The error's `what` is the dynamic linker's text.
  static Result<Candidate> load(const std::string& binary);

  struct Raised {
    std::string kind;
    std::string text;
  };
  /// True when `run` returned; otherwise take_error() says what came out of it.
  bool call(const CandidateArguments& arguments);
  static Raised take_error();

 private:
  explicit Candidate(TVMFFISafeCallType run) : run_(run) {}
  // Never unloaded: the process ends with its candidate, and its destructors are not to be run.
  TVMFFISafeCallType run_;
};

}  // namespace ptxbatch
