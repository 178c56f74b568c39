// ptxbatch-keeper-cuda CHANNEL_FD RANK_ON_HOST BUDGET_BYTES: the keeper of the GPU targets. A
// budget of 0 is three quarters of the memory that is free at the start. Started by a rank.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "ranks/profile/cuda/activity_trace.h"
#include "ranks/profile/cuda/checked_call.h"
#include "ranks/profile/cuda/cuda_keeper_device.h"
#include "ranks/profile/keeper_server.h"

namespace ptxbatch {
namespace {

std::uint64_t default_budget_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  PTXBATCH_CALL(cuMemGetInfo(&free, &total));
  return free / 4 * 3;
}

Status keep(Channel& channel, int rank_on_host, std::uint64_t budget_bytes) {
  std::unique_ptr<GpuContext> gpu;
  try {
    gpu = std::make_unique<GpuContext>(rank_on_host);
    start_activity_trace();
  } catch (const CudaFailure& failure) {
    // Said to the rank, since starting again will not help.
    return channel.send(
        encode(Refused{0, std::string("this rank's GPU cannot be used: ") + failure.what(),
                       "Check nvidia-smi and CUDA_VISIBLE_DEVICES on this host."}));
  }
  CudaKeeperDevice device(*gpu);
  return serve_keeper(channel, device, budget_bytes > 0 ? budget_bytes : default_budget_bytes());
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  using namespace ptxbatch;
  if (argc != 4) {
    std::fputs("This program is started by ptxbatch, not by hand.\n", stderr);
    return 1;
  }
  Channel channel{UniqueFd(std::atoi(argv[1]))};
  try {
    const Status status = keep(channel, std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10));
    if (!status) std::fprintf(stderr, "%s\n", describe(status.error()).c_str());
    return status ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
