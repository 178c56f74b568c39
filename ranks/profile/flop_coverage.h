// The share of a problem's floating-point operations that the counted matrix instructions did.
#pragma once

#include <string_view>
#include <vector>

#include "results/records.h"

namespace ptxbatch {

/// Floating-point operations of one execution of this SASS instruction by one warp: 2 M N K / 4 for
/// the HGMMA and QGMMA of Hopper, whose shape MxNxK is in the opcode and which four warps issue
/// together; 0 for any other instruction.
double flops_per_warp_execution(std::string_view instruction);

/// Executed operations over `problem_flops`. Predicated-off executions do not count: a warp with
/// no active thread did nothing.
double flop_coverage(const std::vector<InstructionRecord>& instructions, double problem_flops);

}  // namespace ptxbatch
