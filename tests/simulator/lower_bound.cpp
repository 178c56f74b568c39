#include "tests/simulator/lower_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ptxbatch {
namespace {

struct Work {
  double generate_s = 0;
  double compile_s = 0;
  double device_s = 0;
  double longest_s = 0;
  std::map<std::string, double> generate_s_of;  // by model
  std::map<std::string, std::int64_t> calls_of;
  std::map<std::string, std::int64_t> tokens_of;
};

Work sum(const Experiment& experiment, const WorkModel& work) {
  Work all;
  for (const PlannedTrajectory& plan : work.plan()) {
    double chain_s = 0;
    for (std::int32_t number = 0; number < experiment.protocol.turns; ++number) {
      const SimulatedTurn turn = work.turn(plan.index, number);
      all.generate_s += turn.generate_s;
      all.compile_s += turn.compile_s;
      all.device_s += turn.device_s;
      all.generate_s_of[plan.model] += turn.generate_s;
      ++all.calls_of[plan.model];
      all.tokens_of[plan.model] += turn.completion_tokens;
      chain_s += turn.generate_s + turn.compile_s + turn.device_s;
    }
    all.longest_s = std::max(all.longest_s, chain_s);
  }
  return all;
}

void add_model_bounds(const Work& all, const ModelSpec& model, std::vector<Bound>& bounds) {
  constexpr double kMinute = 60;
  const ModelLimits& limits = model.endpoint.limits;
  const auto calls = all.calls_of.find(model.name);
  if (calls == all.calls_of.end()) return;
  if (limits.in_flight > 0) {
    bounds.push_back({fmt::format("{} calls of {} at a time", limits.in_flight, model.name),
                      all.generate_s_of.at(model.name) / limits.in_flight});
  }
  // The first minute's worth may go at once.
  if (limits.requests_per_minute > 0) {
    const double minutes = static_cast<double>(calls->second) / limits.requests_per_minute - 1;
    bounds.push_back(
        {fmt::format("{} requests a minute of {}", limits.requests_per_minute, model.name),
         kMinute * std::max(0.0, minutes)});
  }
  if (limits.tokens_per_minute > 0) {
    const double minutes = static_cast<double>(all.tokens_of.at(model.name)) /
                               static_cast<double>(limits.tokens_per_minute) -
                           1;
    bounds.push_back({fmt::format("{} tokens a minute of {}", limits.tokens_per_minute, model.name),
                      kMinute * std::max(0.0, minutes)});
  }
}

}  // namespace

std::vector<Bound> lower_bounds(const Experiment& experiment, const WorkModel& work,
                                const VirtualRankSettings& settings, int ranks) {
  const Work all = sum(experiment, work);
  std::vector<Bound> bounds = {
      {"model calls of all ranks", all.generate_s / (ranks * experiment.rank.generating)},
      {"compilers", all.compile_s / (ranks * settings.compile_jobs)},
      {"devices", all.device_s / ranks},
      {"the longest trajectory", all.longest_s}};
  for (const ModelSpec& model : experiment.models) add_model_bounds(all, model, bounds);
  for (Bound& bound : bounds) bound.seconds += settings.start_s;
  return bounds;
}

const Bound& binding(const std::vector<Bound>& bounds) {
  return *std::max_element(bounds.begin(), bounds.end(),
                           [](const Bound& a, const Bound& b) { return a.seconds < b.seconds; });
}

}  // namespace ptxbatch
