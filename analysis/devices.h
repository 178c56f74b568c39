// Which device a file's turns ran on, in the short form that tables show.
#pragma once

#include <string>
#include <string_view>

#include "results/turn_table.h"

namespace ptxbatch {

/// "NVIDIA H100 80GB HBM3": "H100"; names that are not NVIDIA's stay.
std::string short_device_name(std::string_view name);

/// The device of a target's turns in this file, "H100 + H200" where there are several kinds; the
/// target's own name when none is recorded.
std::string device_of(const TurnTable& table, const std::string& target);

}  // namespace ptxbatch
