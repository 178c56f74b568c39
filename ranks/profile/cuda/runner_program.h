// The main function of the programs in which a candidate runs on a GPU: they differ in their
// device.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "ranks/profile/runner_server.h"

namespace ptxbatch {

template <class Device>
int serve_one_candidate(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("This program is started by ptxbatch, not by hand.\n", stderr);
    return 1;
  }
  Channel channel{UniqueFd(std::atoi(argv[1]))};
  Device device(std::atoi(argv[2]));
  const Status status = serve_runner(channel, device);
  if (!status) std::fprintf(stderr, "%s\n", describe(status.error()).c_str());
  return status ? 0 : 1;
}

/// PROGRAM CHANNEL_FD RANK_ON_HOST. `Device` is constructed with the rank.
template <class Device>
[[noreturn]] void run_runner_program(int argc, char** argv) {
  int code = 1;
  try {
    code = serve_one_candidate<Device>(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
  }
  // Past the candidate's destructors and exit handlers: nobody waits for them.
  ::_exit(code);
}

}  // namespace ptxbatch
