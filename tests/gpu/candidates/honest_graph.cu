// Expect Correct: a graph captured once and launched in every call; its kernel reads the inputs
// anew.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static cudaGraphExec_t graph = nullptr;
  if (graph == nullptr) {
    cudaStream_t capture;
    cudaGraph_t captured;
    must(cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking));
    must(cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal));
    g.compute_into(g.c, capture);
    must(cudaStreamEndCapture(capture, &captured));
    must(cudaGraphInstantiate(&graph, captured, 0));
  }
  must(cudaGraphLaunch(graph, g.stream));
}
