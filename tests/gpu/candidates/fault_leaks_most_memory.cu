// Expect Correct: takes all the device memory that it can get and never frees it, but is right. The
// keeper needs none then, and the next candidate finds the memory free.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static bool taken = false;
  for (std::size_t step = std::size_t{8} << 30; !taken && step >= std::size_t{64} << 20;) {
    void* lost = nullptr;
    if (cudaMalloc(&lost, step) != cudaSuccess) {
      cudaGetLastError();  // forget it
      step /= 2;
    }
  }
  taken = true;
  g.compute();
}
