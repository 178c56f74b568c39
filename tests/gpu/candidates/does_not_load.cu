// Expect Other error (wrong_interface): needs a symbol that nobody defines.
#include "gemm.cuh"

extern "C" void defined_nowhere(const bf16* a);

static void run(const Gemm& g) {
  defined_nowhere(g.a);
}
