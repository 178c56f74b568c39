#include "analysis/paper_chance.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>

#include "analysis/best_speedups.h"
#include "analysis/intervals.h"
#include "analysis/paper_layout.h"

namespace ptxbatch {
namespace {

// Behind every number that the paper prints: 3 prompts of 4 replicas.
constexpr std::size_t kPaperTrajectories = 12;

using Cause = CheckedCell::Cause;

// A share, or a speedup.
double value_of(const PaperCell& cell) {
  double value = 0;
  std::from_chars(cell.text.data(), cell.text.data() + cell.text.size(), value);
  return cell.metric == PaperMetric::kBestSpeedup ? value : value / 100;
}

void explain_correctness(const TrajectoryScores& ours, CheckedCell& cell) {
  const Difference difference =
      correctness_difference_from(ours, value_of(cell.paper), kPaperTrajectories);
  const bool chance = difference.interval->contains(0);
  cell.cause = chance ? Cause::kChance : Cause::kUnknown;
  cell.reason = fmt::format(
      "{}: ours less the paper's is {:+.1f} [{:+.1f}, {:+.1f}] of {} and {} trajectories",
      chance ? "chance may explain it" : "not explained", 100 * difference.value,
      100 * difference.interval->low, 100 * difference.interval->high, ours.size(),
      kPaperTrajectories);
}

void explain_best_speedup(const TrajectoryScores& ours, CheckedCell& cell) {
  const double papers = value_of(cell.paper);
  const bool ours_is_less = std::none_of(ours.begin(), ours.end(), [&](const TrajectoryScore& one) {
    return one.best_speedup > papers;
  });
  if (ours_is_less) {
    cell.cause = Cause::kUnjudged;
    cell.reason =
        "cannot be judged: trajectories do not show what lies above the best of them, and the "
        "paper prints no other than its best";
    return;
  }
  const double least = least_further_best(ours, kPaperTrajectories).value();
  const bool chance = papers >= least;
  cell.cause = chance ? Cause::kChance : Cause::kUnknown;
  cell.reason = fmt::format(
      "{}: the best of {} trajectories like our {} is {} in at least 97.5 of 100 cases",
      chance ? "chance may explain it" : "not explained", kPaperTrajectories, ours.size(),
      least > 0 ? fmt::format("{:.3f} or more", least) : "anything from none");
}

}  // namespace

void explain_by_chance(const TrajectoryScores& ours, CheckedCell& cell) {
  if (ours.size() < kLeastTrajectories) {
    cell.cause = Cause::kUnjudged;
    cell.reason = fmt::format(
        "cannot be judged: fewer than {} trajectories do not show how much "
        "they vary",
        kLeastTrajectories);
  } else if (cell.paper.metric == PaperMetric::kBestSpeedup) {
    explain_best_speedup(ours, cell);
  } else {
    explain_correctness(ours, cell);
  }
}

}  // namespace ptxbatch
