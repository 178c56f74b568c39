// Expect Correct: scratch memory from the stream's pool, taken and given back in every call.
#include "gemm.cuh"

static void run(const Gemm& g) {
  void* buffer = nullptr;
  must(cudaMallocAsync(&buffer, g.c_bytes(), g.stream));
  g.compute_into(static_cast<bf16*>(buffer), g.stream);
  must(cudaMemcpyAsync(g.c, buffer, g.c_bytes(), cudaMemcpyDeviceToDevice, g.stream));
  must(cudaFreeAsync(buffer, g.stream));
}
