// Expect Runtime error: what is thrown is no std::exception, and leaves through the C ABI.
#include "gemm.cuh"

static void run(const Gemm& /*g*/) {
  throw 42;
}
