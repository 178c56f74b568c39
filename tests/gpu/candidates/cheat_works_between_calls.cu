// Expect Numerical error or Other error (timing_violation): a kernel that never ends watches the
// output and repairs it when it has been poisoned; calls only start it once.
#include "gemm.cuh"

static __global__ void watch(volatile unsigned short* c, const bf16* kept, int count,
                             volatile int* stop) {
  while (*stop == 0) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
      c[i] = reinterpret_cast<const unsigned short*>(kept)[i];
    }
  }
}
static void run(const Gemm& g) {
  static bf16* kept = nullptr;
  if (kept != nullptr) return;
  int* stop = nullptr;
  cudaStream_t side;
  must(cudaMalloc(&kept, g.c_bytes()));
  must(cudaMalloc(&stop, sizeof(int)));
  must(cudaMemset(stop, 0, sizeof(int)));
  must(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  g.compute_into(kept, g.stream);
  g.compute();
  must(cudaStreamSynchronize(g.stream));
  watch<<<1, 1024, 0, side>>>(reinterpret_cast<volatile unsigned short*>(g.c), kept, g.m * g.n,
                              stop);
}
