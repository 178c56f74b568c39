#include "analysis/timing_method.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>

#include "common/toml_table.h"

namespace ptxbatch {
namespace {

// The experiment file's defaults, which are the paper's own settings (docs/experiment_file.md).
struct TimingSettings {
  std::int64_t trials = 0;
  std::int64_t warmups = 10;
  std::int64_t iterations = 50;
  std::int64_t pair_blocks = 5;
};

TimingSettings settings_of(const std::string& experiment_text) {
  TimingSettings settings;
  const auto parsed = parse_toml(experiment_text, "");
  if (!parsed) return settings;
  const auto protocol = (*parsed)["protocol"];
  settings.trials = protocol["trials"].value_or(settings.trials);
  settings.warmups = protocol["warmups"].value_or(settings.warmups);
  settings.iterations = protocol["iterations"].value_or(settings.iterations);
  settings.pair_blocks = protocol["pair_blocks"].value_or(settings.pair_blocks);
  return settings;
}

}  // namespace

std::string timing_method(const TurnTable& table, SpeedupKind kind) {
  const TimingSettings settings = settings_of(table.experiment_text);
  const std::string trials = settings.trials == 0 ? "the operator's own number of trials"
                                                  : fmt::format("{} trials", settings.trials);
  if (kind == SpeedupKind::kPaired) {
    return fmt::format("{} calls after {} in {} blocks in turn with the reference, {}",
                       settings.iterations, settings.warmups, settings.pair_blocks, trials);
  }
  return fmt::format("medians of {} calls after {}, reference measured once, {}",
                     settings.iterations, settings.warmups, trials);
}

bool has_speedups(const TurnTable& table, SpeedupKind kind) {
  const std::vector<double>& speedups = speedup_column(table, kind);
  bool any_correct = false;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.label[row] != Label::kCorrect) continue;
    if (speedups[row] > 0) return true;
    any_correct = true;
  }
  return !any_correct;  // without a correct turn nothing is lacking
}

}  // namespace ptxbatch
