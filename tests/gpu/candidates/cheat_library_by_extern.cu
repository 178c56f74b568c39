// Expect Other error (banned_use) from its source; built all the same and run, Correct with the
// symbol unresolved: declares cuBLAS's functions itself, weakly, in the hope that the runner has
// them.
#include "gemm.cuh"

extern "C" __attribute__((weak)) int cublasCreate_v2(void** handle);
extern "C" __attribute__((weak)) int cublasLtCreate(void** handle);

static void run(const Gemm& g) {
  must_be_refused(cublasCreate_v2 != nullptr);
  must_be_refused(cublasLtCreate != nullptr);
  g.compute();
}
