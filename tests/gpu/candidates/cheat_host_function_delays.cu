// Expect Correct with all of its time, Numerical error or Other error (timing_violation): the
// product waits behind a host function that sleeps, on a stream that nobody joins.
#include <unistd.h>

#include "gemm.cuh"

static void CUDART_CB sleep_a_little(void* /*unused*/) {
  usleep(3000);
}
static void run(const Gemm& g) {
  static cudaStream_t side = nullptr;
  if (side == nullptr) must(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  must(cudaLaunchHostFunc(side, sleep_a_little, nullptr));
  g.compute_into(g.c, side);
}
