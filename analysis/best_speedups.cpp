#include "analysis/best_speedups.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace ptxbatch {
namespace {

std::vector<double> bests_of(std::span<const TrajectoryScore> trajectories) {
  std::vector<double> bests;
  bests.reserve(trajectories.size());
  for (const TrajectoryScore& one : trajectories) bests.push_back(one.best_speedup);
  return bests;
}

double greatest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

// That the `best` best of `mine` + `others` like trajectories are all of the first kind.
double chance_of_all_mine(std::size_t best, std::size_t mine, std::size_t others) {
  double chance = 1;
  for (std::size_t i = 0; i < best && chance > 0; ++i) {
    if (i >= mine) return 0;
    chance *= static_cast<double>(mine - i) / static_cast<double>(mine + others - i);
  }
  return chance;
}

}  // namespace

std::optional<double> least_further_best(std::span<const TrajectoryScore> trajectories,
                                         std::size_t others) {
  constexpr double kTail = 0.025;
  if (trajectories.size() < kLeastTrajectories) return std::nullopt;
  std::size_t best = 1;
  while (best <= trajectories.size() &&
         chance_of_all_mine(best, trajectories.size(), others) > kTail) {
    ++best;
  }
  if (best > trajectories.size()) return 0;
  std::vector<double> bests = bests_of(trajectories);
  const auto place = bests.begin() + static_cast<std::ptrdiff_t>(best - 1);
  std::nth_element(bests.begin(), place, bests.end(), std::greater<>());
  return *place;
}

Difference best_speedup_difference(std::span<const TrajectoryScore> first,
                                   std::span<const TrajectoryScore> second) {
  std::vector<double> pooled = bests_of(first);
  const std::vector<double> others = bests_of(second);
  Difference difference{greatest(pooled) - greatest(others), {}, {}};
  if (std::min(first.size(), second.size()) < kLeastTrajectories) return difference;
  pooled.insert(pooled.end(), others.begin(), others.end());
  const double best = greatest(pooled);
  // The bests are so far apart when all that are nearer to the best of all are on its side.
  const auto nearer =
      static_cast<std::size_t>(std::count_if(pooled.begin(), pooled.end(), [&](double value) {
        return best - value < std::abs(difference.value);
      }));
  difference.p_value = std::min(1.0, chance_of_all_mine(nearer, first.size(), second.size()) +
                                         chance_of_all_mine(nearer, second.size(), first.size()));
  return difference;
}

}  // namespace ptxbatch
