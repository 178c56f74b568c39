// Which labels are failures of a candidate's own, of those that have one: what a repair can be of.
#pragma once

#include "results/records.h"

namespace ptxbatch {

constexpr bool is_own_failure(Label label) {
  switch (label) {
    case Label::kNumericalError:
    case Label::kCompilationError:
    case Label::kRuntimeError:
    case Label::kKernelExecutionTimeout:
    case Label::kSanitizeTimeout:
    case Label::kOtherError:
      return true;
    case Label::kCorrect:
    case Label::kProfilingServiceTimeout:
    case Label::kExtractionError:
      return false;
  }
  return false;
}

}  // namespace ptxbatch
