// Expect Runtime error (device_assert): an assertion fails in device code.
#include "gemm.cuh"

#undef NDEBUG
#include <cassert>

static __global__ void assert_false(int zero) {
  assert(zero != 0);
}
static void run(const Gemm& g) {
  g.compute();
  assert_false<<<1, 32, 0, g.stream>>>(0);
}
