// Expect Runtime error (abort).
#include <cstdlib>

#include "gemm.cuh"

static void run(const Gemm& /*g*/) {
  std::abort();
}
