// Expect Correct, target instruction present, coverage 1: a small GEMM by wgmma, operands brought
// by TMA. Compile with the Hopper pack's templates on the include path.
#include "wgmma_gemm.cuh"

static void run(const Gemm& g) {
  launch_wgmma_gemm(g);
}
