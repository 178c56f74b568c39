#include "ranks/profile/flop_coverage.h"

#include <algorithm>
#include <charconv>

namespace ptxbatch {
namespace {

constexpr int kWarpsOfAWarpgroup = 4;
constexpr int kThreadsOfAWarp = 32;

/// "64x256x16.F32.BF16 ..." -> 64 * 256 * 16; 0 when it is no shape.
double volume_of_shape(std::string_view text) {
  double volume = 1;
  for (int dimension = 0; dimension < 3; ++dimension) {
    int size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc()) return 0;
    volume *= size;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (dimension < 2) {
      if (!text.starts_with('x')) return 0;
      text.remove_prefix(1);
    }
  }
  return volume;
}

}  // namespace

double flops_per_warp_execution(std::string_view instruction) {
  for (const std::string_view opcode : {"HGMMA.", "QGMMA."}) {
    const std::size_t at = instruction.find(opcode);
    if (at != std::string_view::npos) {
      return 2 * volume_of_shape(instruction.substr(at + opcode.size())) / kWarpsOfAWarpgroup;
    }
  }
  return 0;
}

double flop_coverage(const std::vector<InstructionRecord>& instructions, double problem_flops) {
  double flops = 0;
  for (const InstructionRecord& instruction : instructions) {
    const auto warps =
        std::min(static_cast<double>(instruction.warp_executions),
                 static_cast<double>(instruction.thread_executions) / kThreadsOfAWarp);
    flops += warps * flops_per_warp_execution(instruction.text);
  }
  return flops / problem_flops;
}

}  // namespace ptxbatch
