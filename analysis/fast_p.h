// Fast_p: the share of turns that are correct with a speedup strictly greater than p, as an exact
// step function of p. Fast_p^Inst counts only turns that executed the target instruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/conditions.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// A share of turns over p. Constant between neighbouring speedups; at a speedup it has already
/// dropped ("strictly greater").
struct StepCurve {
  std::int64_t turns = 0;        // planned: a missing turn never exceeds any p
  std::vector<double> speedups;  // of the turns that count, ascending

  [[nodiscard]] double at(double p) const;
};

/// The curve of all prompt tags together, which is the line, and of each alone, whose smallest and
/// largest value at each p are the band.
struct FastCurve {
  StepCurve pooled;
  std::vector<StepCurve> by_prompt_tag;

  [[nodiscard]] double best_speedup() const;  // 0 when no turn counts
  [[nodiscard]] double band_low(double p) const;
  [[nodiscard]] double band_high(double p) const;
};

struct FastCurves {
  FastCurve any;          // Fast_p
  FastCurve with_target;  // Fast_p^Inst
};

/// One entry for each condition. All turns of the experiments count.
std::vector<FastCurves> fast_curves(std::span<const TurnTable> tables, const Conditions& conditions,
                                    SpeedupKind kind);

/// Where the curves of one condition step within [0, p_max], both ends included, ascending. When
/// there would be more than `most`, as many evenly spaced ones instead.
std::vector<double> step_points(const FastCurves& curves, double p_max, std::size_t most);

}  // namespace ptxbatch
