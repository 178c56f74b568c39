// A span of time for people, in the unit that fits: "90 s", "45 min", "3.5 h", "4.0 days".
#pragma once

#include <string>

namespace ptxbatch {

std::string duration_text(double seconds);

}  // namespace ptxbatch
