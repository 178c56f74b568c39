#include "orchestrator/report_error.h"

#include <fmt/format.h>

#include "orchestrator/exit_codes.h"

namespace ptxbatch {

int report(const Error& error) {
  fmt::print(stderr, "ptxbatch: {}\n", describe(error));
  return kExitError;
}

int report(const std::vector<Error>& errors) {
  for (const Error& error : errors) report(error);
  return kExitError;
}

}  // namespace ptxbatch
