// Expect Runtime error (segmentation_fault): the host code reads a device pointer.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static volatile float sink = 0;
  sink = __bfloat162float(*const_cast<const bf16*>(g.a));
  g.compute();
}
