// compute-sanitizer's XML report as text for a model: what was wrong, in which kernel and source
// line, how often.
#pragma once

#include <string>

#include "common/error.h"

namespace ptxbatch {

/// kInput when this is no such report, or holds no record but of errors of the tool itself.
Result<std::string> sanitizer_report_text(const std::string& xml);

}  // namespace ptxbatch
