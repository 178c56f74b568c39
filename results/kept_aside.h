// A damaged file kept under another name, before the repaired one takes its place.
#pragma once

#include <string>

#include "common/error.h"

namespace ptxbatch {

/// Gives the file a second name, PATH.damaged-N with the first N that is free, and returns it. The
/// file itself stays where it is: whoever replaces it next leaves the second name alone, so that
/// there is no moment without it. Where the file system has no hard links it is copied.
Result<std::string> keep_aside(const std::string& path);

}  // namespace ptxbatch
