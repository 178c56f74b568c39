// Which problems a target has a reference for: what is planned must be something that can be
// judged.
#pragma once

#include <string_view>

#include "common/error.h"
#include "ranks/problems/problem.h"

namespace ptxbatch {

/// An error (kInput) with what the target's references do compute when this problem is not among
/// it.
Status check_reference(std::string_view target, const Problem& problem);

}  // namespace ptxbatch
