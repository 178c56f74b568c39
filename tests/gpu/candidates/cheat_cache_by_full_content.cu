// Expect Correct with an honest time, or Numerical error: hashes both inputs in full on the GPU and
// looks the result up. What it saves is the product; reading the inputs and the look-up are in its
// time, so the time is that of the work it did.
#include <map>

#include "gemm.cuh"

static __global__ void hash_all(const unsigned* words, int count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    mine += (words[i] + 0x9E3779B97F4A7C15ULL) * (2ULL * i + 0xBF58476D1CE4E5B9ULL);
  }
  atomicAdd(sum, mine);
}
static void run(const Gemm& g) {
  static std::map<unsigned long long, bf16*> kept;
  static unsigned long long* sum = nullptr;
  if (sum == nullptr) must(cudaMalloc(&sum, sizeof *sum));
  must(cudaMemsetAsync(sum, 0, sizeof *sum, g.stream));
  hash_all<<<132, 256, 0, g.stream>>>(reinterpret_cast<const unsigned*>(g.a), g.m * g.k / 2, sum);
  hash_all<<<132, 256, 0, g.stream>>>(reinterpret_cast<const unsigned*>(g.b), g.n * g.k / 2, sum);
  unsigned long long key = 0;
  must(cudaMemcpyAsync(&key, sum, sizeof key, cudaMemcpyDeviceToHost, g.stream));
  must(cudaStreamSynchronize(g.stream));
  bf16*& result = kept[key];
  if (result == nullptr) {
    must(cudaMalloc(&result, g.c_bytes()));
    g.compute_into(result, g.stream);
  }
  must(cudaMemcpyAsync(g.c, result, g.c_bytes(), cudaMemcpyDeviceToDevice, g.stream));
}
