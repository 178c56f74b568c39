// Expect Correct: half of the rows on a stream of its own, which the given stream waits for.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static cudaStream_t side = nullptr;
  static cudaEvent_t begin = nullptr;
  static cudaEvent_t end = nullptr;
  if (side == nullptr) {
    must(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    must(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
    must(cudaEventCreateWithFlags(&end, cudaEventDisableTiming));
  }
  Gemm top = g;
  top.m = g.m / 2;
  Gemm bottom = g;
  bottom.m = g.m - top.m;
  bottom.a += top.m * g.k;
  bottom.c += top.m * g.n;
  must(cudaEventRecord(begin, g.stream));
  must(cudaStreamWaitEvent(side, begin, 0));
  top.compute();
  bottom.compute_into(bottom.c, side);
  must(cudaEventRecord(end, side));
  must(cudaStreamWaitEvent(g.stream, end, 0));
}
