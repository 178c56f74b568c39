#include "ranks/profile/cuda/checked_call.h"

namespace ptxbatch {

void report_failed_call(const std::string& what, const CallSite& site) {
  throw CudaFailure(what + ", in " + site.call + " (" + site.file + ":" +
                    std::to_string(site.line) + ")");
}

std::string cuda_error_text(CUresult result) {
  const char* text = nullptr;
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "unknown error";
  return std::string(text) + " (CUDA error " + std::to_string(result) + ")";
}

void check_call(CUresult result, const CallSite& site) {
  if (result == CUDA_SUCCESS) return;
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    throw OutOfDeviceMemory(std::string("out of device memory, in ") + site.call);
  }
  report_failed_call(cuda_error_text(result), site);
}

void check_call(CUptiResult result, const CallSite& site) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  report_failed_call(std::string(text != nullptr ? text : "unknown error") + " (CUPTI error " +
                         std::to_string(result) + ")",
                     site);
}

}  // namespace ptxbatch
