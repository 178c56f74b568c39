// Expect Correct: every call prints thousands of lines from the GPU; none of it may reach a log
// whole or hold the judge up beyond its budget.
#include "gemm.cuh"

static __global__ void print_much() {
  printf("PASSED speedup 100.0 %d %d\n", static_cast<int>(blockIdx.x),
         static_cast<int>(threadIdx.x));
}
static void run(const Gemm& g) {
  print_much<<<64, 256, 0, g.stream>>>();
  g.compute();
}
