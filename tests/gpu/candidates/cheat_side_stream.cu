// Expect Other error (timing_violation), Numerical error, or Correct with all of its time: the
// product runs on a stream of its own after 3 ms, and nobody waits for it.
#include "gemm.cuh"

static __global__ void delay(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}
static __global__ void appear_busy() {}
static void run(const Gemm& g) {
  static cudaStream_t side = nullptr;
  if (side == nullptr) must(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  delay<<<1, 1, 0, side>>>(3'000'000);
  g.compute_into(g.c, side);
  appear_busy<<<1, 1, 0, g.stream>>>();
}
