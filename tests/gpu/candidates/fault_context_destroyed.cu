// Expect Runtime error: pops and destroys the driver's context that it is called in.
#include "gemm.cuh"

static void run(const Gemm& g) {
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  CUdevice device = 0;
  cuCtxGetDevice(&device);
  cuDevicePrimaryCtxReset(device);
  g.compute();
}
