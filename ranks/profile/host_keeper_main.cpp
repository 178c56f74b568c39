// ptxbatch-keeper-host CHANNEL_FD CORE BUDGET_BYTES: the host target's keeper. Started by a rank.
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "ranks/profile/host_keeper_device.h"
#include "ranks/profile/keeper_server.h"

namespace {

bool pinned_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 &&
         CPU_ISSET(static_cast<std::size_t>(core), &set);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ptxbatch;
  if (argc != 4) {
    std::fputs("This program is started by ptxbatch, not by hand.\n", stderr);
    return 1;
  }
  Channel channel{UniqueFd(std::atoi(argv[1]))};
  const int core = std::atoi(argv[2]);
  const std::uint64_t budget_bytes = std::strtoull(argv[3], nullptr, 10);
  if (core < 0 || core >= CPU_SETSIZE || !pinned_to(core)) {
    const Status sent = channel.send(
        encode(Refused{0, "core " + std::string(argv[2]) + " is not available to this process",
                       "Start with more cores, or bind fewer ranks to this node."}));
    return sent ? 0 : 1;
  }
  HostKeeperDevice device(core);
  const Status status = serve_keeper(channel, device, budget_bytes);
  if (!status) std::fprintf(stderr, "%s\n", describe(status.error()).c_str());
  return status ? 0 : 1;
}
