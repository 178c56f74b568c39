#include "analysis/fast_p.h"

#include <algorithm>
#include <cstddef>

namespace ptxbatch {
namespace {

void add_planned(FastCurve& curve, std::uint32_t prompt_tag, std::int64_t turns) {
  curve.pooled.turns += turns;
  curve.by_prompt_tag[prompt_tag].turns += turns;
}

void add_turn(FastCurve& curve, std::uint32_t prompt_tag, double speedup) {
  curve.by_prompt_tag[prompt_tag].speedups.push_back(speedup);
}

// Sorting each tag and merging is cheaper than sorting everything twice.
void finish(FastCurve& curve) {
  auto& pooled = curve.pooled.speedups;
  for (StepCurve& tag : curve.by_prompt_tag) {
    std::sort(tag.speedups.begin(), tag.speedups.end());
    const auto middle = static_cast<std::ptrdiff_t>(pooled.size());
    pooled.insert(pooled.end(), tag.speedups.begin(), tag.speedups.end());
    std::inplace_merge(pooled.begin(), pooled.begin() + middle, pooled.end());
  }
}

std::vector<double> even_points(double p_max, std::size_t count) {
  std::vector<double> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(p_max * static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return result;
}

}  // namespace

double StepCurve::at(double p) const {
  if (turns == 0) return 0;
  const auto above = speedups.end() - std::upper_bound(speedups.begin(), speedups.end(), p);
  return static_cast<double>(above) / static_cast<double>(turns);
}

double FastCurve::best_speedup() const {
  return pooled.speedups.empty() ? 0 : pooled.speedups.back();
}

double FastCurve::band_low(double p) const {
  double low = by_prompt_tag.empty() ? 0 : 1;
  for (const StepCurve& tag : by_prompt_tag) low = std::min(low, tag.at(p));
  return low;
}

double FastCurve::band_high(double p) const {
  double high = 0;
  for (const StepCurve& tag : by_prompt_tag) high = std::max(high, tag.at(p));
  return high;
}

std::vector<FastCurves> fast_curves(std::span<const TurnTable> tables, const Conditions& conditions,
                                    SpeedupKind kind) {
  std::vector<FastCurves> result(conditions.list.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].any.by_prompt_tag.resize(conditions.list[i].prompt_tags.size());
    result[i].with_target.by_prompt_tag.resize(conditions.list[i].prompt_tags.size());
  }
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const Conditions::Place place : conditions.places[t]) {
      add_planned(result[place.condition].any, place.prompt_tag, tables[t].max_turns);
      add_planned(result[place.condition].with_target, place.prompt_tag, tables[t].max_turns);
    }
  }
  for_each_turn(tables, conditions,
                [&](Conditions::Place place, const TurnTable& table, std::size_t row) {
                  if (table.label[row] != Label::kCorrect) return;
                  const double speedup = speedup_column(table, kind)[row];
                  if (!(speedup > 0)) return;  // exceeds no p; NaN too
                  add_turn(result[place.condition].any, place.prompt_tag, speedup);
                  if (table.target_instruction[row] != TargetInstruction::kPresent) return;
                  add_turn(result[place.condition].with_target, place.prompt_tag, speedup);
                });
  for (FastCurves& curves : result) {
    finish(curves.any);
    finish(curves.with_target);
  }
  return result;
}

// The turns of Fast_p^Inst are among those of Fast_p, so the steps of the latter are all of them.
std::vector<double> step_points(const FastCurves& curves, double p_max, std::size_t most) {
  std::vector<double> points = {0};
  for (const double speedup : curves.any.pooled.speedups) {
    if (speedup > points.back() && speedup < p_max) points.push_back(speedup);
  }
  points.push_back(p_max);
  return points.size() > most ? even_points(p_max, most) : points;
}

}  // namespace ptxbatch
