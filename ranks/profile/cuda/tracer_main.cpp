// ptxbatch-tracer-cuda CHANNEL_FD RANK_ON_HOST: a runner that counts the executed instructions of
// one function instead of timing. Started by a rank, one process a function.
#include "ranks/profile/cuda/cuda_tracer_device.h"
#include "ranks/profile/cuda/runner_program.h"

int main(int argc, char** argv) {
  ptxbatch::run_runner_program<ptxbatch::CudaTracerDevice>(argc, argv);
}
