// Expect Correct: one launch on the stream that it was given.
#include "gemm.cuh"

static void run(const Gemm& g) {
  g.compute();
}
