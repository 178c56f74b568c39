// A runner's loop, the same for every target: say when ready, load one candidate inside the
// sandbox, call it each time the rank asks. Whatever it says afterwards may come from the
// candidate, which shares its memory: the rank believes none of it without proof.
#pragma once

#include "ranks/profile/channel.h"
#include "ranks/profile/runner_device.h"

namespace ptxbatch {

/// Returns when the rank is gone. An error: the channel failed, or a request out of turn.
Status serve_runner(Channel& channel, RunnerDevice& device);

}  // namespace ptxbatch
