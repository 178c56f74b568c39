// Small pieces of what `ptxbatch show` prints.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "results/records.h"

namespace ptxbatch {

/// "── TITLE ────", `width` columns wide (72 when that is 0).
std::string section_rule(std::string_view title, std::size_t width);

/// A text of several lines, indented, without control characters; tabs become spaces.
std::string indented(std::string_view text);

/// "12:03:55" of this machine's time zone on that day, with the date; empty for 0.
std::string time_text(double unix_time_s);

/// Eight heights of blocks for the values, from the least to the greatest.
std::string spark_line(std::span<const double> values);

/// "exp_003 (trajectory 3): MODEL on TARGET, PROBLEM, prompt 'TAG', replica 1".
std::string trajectory_title(const PlannedTrajectory& planned);

/// "0.512×", and an en dash for 0.
std::string times_text(double speedup);

}  // namespace ptxbatch
