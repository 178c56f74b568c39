// ptxbatch-runner-cuda CHANNEL_FD RANK_ON_HOST: the runner of the GPU targets, one process a
// candidate. Started by a rank.
#include "ranks/profile/cuda/cuda_runner_device.h"
#include "ranks/profile/cuda/runner_program.h"

int main(int argc, char** argv) {
  ptxbatch::run_runner_program<ptxbatch::CudaRunnerDevice>(argc, argv);
}
