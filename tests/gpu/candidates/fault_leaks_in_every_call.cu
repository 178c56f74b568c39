// Expect Runtime error (exception): eight GiB more in every call, and an exception when they run
// out.
#include "gemm.cuh"

static void run(const Gemm& g) {
  void* workspace = nullptr;
  must(cudaMalloc(&workspace, std::size_t{8} << 30));
  g.compute();
}
