// A keeper's loop: one request of the rank after the other until the rank closes the channel. The
// same for every target.
#pragma once

#include "ranks/profile/channel.h"
#include "ranks/profile/keeper_device.h"

namespace ptxbatch {

/// Says hello, serves, and returns when the rank is gone. An error: the channel itself failed.
Status serve_keeper(Channel& channel, KeeperDevice& device, std::uint64_t budget_bytes);

}  // namespace ptxbatch
