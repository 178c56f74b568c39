// ptxbatch-calibration-cuda.so: a candidate of our own that launches an empty kernel and computes
// nothing. How long its calls take beyond the GPU's work is what any candidate's calls take.
#include <tvm/ffi/c_api.h>

namespace {

__global__ void nothing() {}

}  // namespace

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void* /*self*/,
                                                                    const TVMFFIAny* /*args*/,
                                                                    int32_t /*count*/,
                                                                    TVMFFIAny* /*result*/) {
  nothing<<<1, 32>>>();
  return 0;
}
