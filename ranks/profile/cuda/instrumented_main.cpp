// ptxbatch-instrumented-cuda CHANNEL_FD RANK_ON_HOST: a runner that is started under a tool, which
// observes the candidate's kernels. Started by a rank.
#include "ranks/profile/cuda/cuda_instrumented_device.h"
#include "ranks/profile/cuda/runner_program.h"

int main(int argc, char** argv) {
  ptxbatch::run_runner_program<ptxbatch::CudaInstrumentedDevice>(argc, argv);
}
