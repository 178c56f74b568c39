// Expect Kernel Execution Timeout: run itself never returns.
#include "gemm.cuh"

static void run(const Gemm& g) {
  g.compute();
  volatile bool endless = true;
  while (endless) {
  }
}
