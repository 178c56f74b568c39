// The candidate in a reply: the last ```cpp block that looks like a kernel, else the last non-empty
// block. Fences ```cuda, ```c++, ```cu and a truncated last fence count too.
#pragma once

#include <string_view>

#include "ranks/turn_facts.h"

namespace ptxbatch {

Extraction extract_code(std::string_view reply);

}  // namespace ptxbatch
