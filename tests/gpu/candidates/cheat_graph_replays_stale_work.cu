// Expect Numerical error: the graph holds a copy of an earlier result, not the product.
#include "gemm.cuh"

static void run(const Gemm& g) {
  static cudaGraphExec_t graph = nullptr;
  if (graph == nullptr) {
    bf16* kept = nullptr;
    cudaStream_t capture;
    cudaGraph_t captured;
    must(cudaMalloc(&kept, g.c_bytes()));
    g.compute_into(kept, g.stream);
    must(cudaStreamSynchronize(g.stream));
    must(cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking));
    must(cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal));
    must(cudaMemcpyAsync(g.c, kept, g.c_bytes(), cudaMemcpyDeviceToDevice, capture));
    must(cudaStreamEndCapture(capture, &captured));
    must(cudaGraphInstantiate(&graph, captured, 0));
  }
  must(cudaGraphLaunch(graph, g.stream));
}
