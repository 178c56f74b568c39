// Expect Correct with the symbol unresolved: NVRTC must not be in the runner's process.
#include "gemm.cuh"

extern "C" __attribute__((weak)) int nvrtcCreateProgram(void**, const char*, const char*, int,
                                                        const char* const*, const char* const*);

static void run(const Gemm& g) {
  must_be_refused(nvrtcCreateProgram != nullptr);
  g.compute();
}
