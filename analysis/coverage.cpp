#include "analysis/coverage.h"

namespace ptxbatch {

void require_coverage(TurnTable& table, double least) {
  for (std::size_t row = 0; row < table.size(); ++row) {
    TargetInstruction& state = table.target_instruction[row];
    if (state != TargetInstruction::kPresent || table.flop_coverage[row] >= least) continue;
    const bool unknown = table.flop_coverage[row] < 0;
    state = unknown ? TargetInstruction::kUnknown : TargetInstruction::kNotExecuted;
  }
}

}  // namespace ptxbatch
