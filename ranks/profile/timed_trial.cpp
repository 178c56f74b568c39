#include "ranks/profile/timed_trial.h"

#include <fmt/format.h>

#include "common/log.h"

namespace ptxbatch {

void TimedTrial::add_block(int trial, TimingRecord::Side side, const std::vector<CallTime>& calls) {
  auto& all = side == TimingRecord::Side::kCandidate ? candidate : keeper;
  all.insert(all.end(), calls.begin(), calls.end());
  records.push_back({trial, static_cast<std::int32_t>(records.size()), side, claimed_ms(calls)});
}

MeasurementAttempts::Finding look_at(const TimedTrial& timed, const std::vector<CallTime>& honest,
                                     const MeasurementRules& rules) {
  spdlog::debug("beyond its claims a call of the candidate took {}, an honest one {}",
                milliseconds(median_way_s(timed.candidate)), milliseconds(median_way_s(honest)));
  if (!claims_fit(timed.candidate, honest, rules.slack)) {
    return MeasurementAttempts::Finding::kMisfit;
  }
  const bool drifted =
      rules.drift_limit > 0 && drift_of(timed.reference_medians_ms, rules) > rules.drift_limit;
  if (!drifted) return MeasurementAttempts::Finding::kSound;
  spdlog::warn("the reference drifted by {:.1f} % within a measurement", timed.spread() * 100);
  return MeasurementAttempts::Finding::kDrifted;
}

std::string unclaimed_text(const TimedTrial& timed, const std::vector<CallTime>& honest) {
  return "the times claimed inside the process do not fit those seen from outside: " +
         milliseconds(median_way_s(timed.candidate)) + " of each call were not claimed, where " +
         milliseconds(median_way_s(honest)) + " are usual";
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.3f} ms", seconds * 1e3);
}

}  // namespace ptxbatch
