// Expect Runtime error (launch_failure): a trap in device code.
#include "gemm.cuh"

static __global__ void trap_at_once() {
  __trap();
}
static void run(const Gemm& g) {
  g.compute();
  trap_at_once<<<1, 32, 0, g.stream>>>();
}
