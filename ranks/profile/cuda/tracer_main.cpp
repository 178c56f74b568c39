// ptxbatch-tracer-cuda CHANNEL_FD RANK_ON_HOST: a runner that counts the executed instructions of
// one function instead of timing. Started by a rank, one process a function.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "ranks/profile/cuda/cuda_tracer_device.h"
#include "ranks/profile/runner_server.h"

namespace {

int run(int argc, char** argv) {
  using namespace ptxbatch;
  if (argc != 3) {
    std::fputs("This program is started by ptxbatch, not by hand.\n", stderr);
    return 1;
  }
  Channel channel{UniqueFd(std::atoi(argv[1]))};
  CudaTracerDevice device(std::atoi(argv[2]));
  const Status status = serve_runner(channel, device);
  if (!status) std::fprintf(stderr, "%s\n", describe(status.error()).c_str());
  return status ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int code = 1;
  try {
    code = run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
  }
  // Past the candidate's destructors and exit handlers: nobody waits for them.
  ::_exit(code);
}
