// Expect Runtime error (exception): a C++ exception with a text comes out of run.
#include <string>

#include "gemm.cuh"

static void run(const Gemm& g) {
  throw std::runtime_error("this kernel wants M below " + std::to_string(g.m));
}
