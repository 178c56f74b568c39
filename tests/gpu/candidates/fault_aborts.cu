// Expect Runtime error (abort).
#include "gemm.cuh"

#include <cstdlib>

static void run(const Gemm& /*g*/) {
  std::abort();
}
