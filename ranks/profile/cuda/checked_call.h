// Calls of CUDA's libraries, checked. A failed call in a keeper means that the GPU or our own code
// is at fault: it throws, the process ends with the call's text on stderr, and the rank starts
// another. Only lack of memory is an expected failure, and has a type of its own.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <stdexcept>
#include <string>

namespace ptxbatch {

class CudaFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OutOfDeviceMemory : public CudaFailure {
 public:
  using CudaFailure::CudaFailure;
};

/// "an illegal memory access was encountered (CUDA error 700)"
std::string cuda_error_text(CUresult result);

struct CallSite {
  const char* call;
  const char* file;
  int line;
};
void check_call(CUresult result, const CallSite& site);
void check_call(CUptiResult result, const CallSite& site);

/// Throws CudaFailure: "WHAT, in CALL (FILE:LINE)".
[[noreturn]] void report_failed_call(const std::string& what, const CallSite& site);

}  // namespace ptxbatch

#define PTXBATCH_CALL(call) \
  ::ptxbatch::check_call((call), ::ptxbatch::CallSite{#call, __FILE__, __LINE__})
