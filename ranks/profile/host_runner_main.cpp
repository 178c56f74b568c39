// ptxbatch-runner-host CHANNEL_FD CORE: the host target's runner, one process a candidate. Started
// by a rank, or by the tracer.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "ranks/profile/host_runner_device.h"
#include "ranks/profile/runner_server.h"

int main(int argc, char** argv) {
  using namespace ptxbatch;
  if (argc != 3) {
    std::fputs("This program is started by ptxbatch, not by hand.\n", stderr);
    return 1;
  }
  Channel channel{UniqueFd(std::atoi(argv[1]))};
  HostRunnerDevice device;
  const Status status = serve_runner(channel, device);
  if (!status) std::fprintf(stderr, "%s\n", describe(status.error()).c_str());
  // Past the candidate's destructors and exit handlers: nobody waits for them.
  ::_exit(status ? 0 : 1);
}
