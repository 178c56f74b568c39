#include "tests/simulator/work_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/csv.h"
#include "tests/support/synthetic_turn.h"

namespace ptxbatch {
namespace {

// Seconds, as docs/performance.md and the paper's protocol give them. The first text comes after
// two seconds; a kernel in the reply is some 4,000 tokens beside the reasoning.
constexpr double kFirstTextS = 2;
constexpr std::int64_t kVisibleTokens = 4000;
constexpr double kCompileS = 5.4;  // nvcc 13 with the TVM-FFI headers
constexpr double kSanitizeS = 2;   // compute-sanitizer, most of it its start
constexpr double kEvaluateS = 1.8;
constexpr double kEvidenceS = 0.7;
constexpr double kOneRunS = 0.4;  // a wrong result or a fault is found by the first calls
constexpr double kEvaluateLimitS = 30;
constexpr double kSanitizeLimitS = 120;
constexpr double kSpread = 0.2;  // times vary by so much to either side

double device_seconds(Label label) {
  switch (label) {
    case Label::kCorrect:
      return kSanitizeS + kEvaluateS + kEvidenceS;
    case Label::kNumericalError:
    case Label::kRuntimeError:
      return kSanitizeS + kOneRunS;
    case Label::kKernelExecutionTimeout:
    case Label::kProfilingServiceTimeout:
      return kSanitizeS + kEvaluateLimitS;
    case Label::kSanitizeTimeout:
      return kSanitizeLimitS;
    default:
      return 0;
  }
}

Label draw_label_of(const ModelStatistics& statistics, SyntheticRandom& random) {
  auto ticket =
      static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(statistics.all_turns())));
  for (int label = 0; label < kLabelCount; ++label) {
    ticket -= statistics.turns.at(static_cast<std::size_t>(label));
    if (ticket < 0) return static_cast<Label>(label);
  }
  return Label::kOtherError;
}

// Straight lines between the deciles.
std::int64_t draw_tokens(const ModelStatistics& statistics, SyntheticRandom& random) {
  const double place = random.uniform() * static_cast<double>(statistics.tokens.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double low = statistics.tokens.at(below);
  const double high = statistics.tokens.at(below + 1);
  return std::llround(low + (high - low) * (place - static_cast<double>(below)));
}

double spread(double seconds, SyntheticRandom& random) {
  return seconds * (1 + kSpread * (2 * random.uniform() - 1));
}

}  // namespace

std::int64_t ModelStatistics::all_turns() const {
  return std::accumulate(turns.begin(), turns.end(), std::int64_t{0});
}

Result<std::vector<ModelStatistics>> read_turn_statistics(const std::string& path) {
  constexpr std::int64_t kMost = 1'000'000'000;
  std::vector<std::string> columns = {"model"};
  for (int label = 0; label < kLabelCount; ++label) {
    columns.emplace_back(label_name(static_cast<Label>(label)));
  }
  for (int decile = 0; decile <= 10; ++decile) {
    columns.push_back(fmt::format("tokens_p{}", 10 * decile));
  }
  const auto csv = CsvFile::read(path, columns);
  if (!csv) return fail(csv.error());
  std::vector<ModelStatistics> all(csv->size());
  for (std::size_t row = 0; row < csv->size(); ++row) {
    all[row].model = csv->text(row, 0);
    for (std::size_t column = 1; column < columns.size(); ++column) {
      const auto number = csv->integer(row, column, 0, kMost);
      if (!number) return fail(number.error());
      if (column <= kLabelCount) {
        all[row].turns.at(column - 1) = *number;
      } else {
        all[row].tokens.at(column - 1 - kLabelCount) = static_cast<double>(*number);
      }
    }
    if (all[row].all_turns() == 0) return fail(csv->error(row, 0, "has no turns"));
  }
  return all;
}

WorkModel::WorkModel(std::vector<ModelStatistics> statistics, std::vector<PlannedTrajectory> plan,
                     double tokens_per_s, std::uint64_t seed)
    : statistics_(std::move(statistics)),
      plan_(std::move(plan)),
      tokens_per_s_(tokens_per_s),
      seed_(seed) {
  for (const PlannedTrajectory& trajectory : plan_) {
    const auto row = std::find_if(statistics_.begin(), statistics_.end(), [&](const auto& model) {
      return model.model == trajectory.model;
    });
    row_of_.push_back(static_cast<std::size_t>(row - statistics_.begin()));
  }
}

const ModelStatistics& WorkModel::statistics_of(std::int32_t trajectory) const {
  return statistics_.at(row_of_.at(static_cast<std::size_t>(trajectory)));
}

SimulatedTurn WorkModel::turn(std::int32_t trajectory, std::int32_t turn) const {
  const auto place = (static_cast<std::uint64_t>(trajectory) << 16U) + static_cast<unsigned>(turn);
  SyntheticRandom random(SyntheticRandom(seed_).next() ^ SyntheticRandom(place).next());
  const ModelStatistics& statistics = statistics_of(trajectory);
  SimulatedTurn drawn;
  drawn.label = draw_label_of(statistics, random);
  drawn.reasoning_tokens = draw_tokens(statistics, random);
  drawn.completion_tokens = drawn.reasoning_tokens + kVisibleTokens;
  drawn.generate_s = kFirstTextS + static_cast<double>(drawn.completion_tokens) / tokens_per_s_;
  const bool has_source = drawn.label != Label::kExtractionError;
  drawn.compile_s = has_source ? spread(kCompileS, random) : 0;
  drawn.device_s = spread(device_seconds(drawn.label), random);
  return drawn;
}

std::vector<PlannedTrajectory> simulated_plan(const Experiment& experiment,
                                              const std::vector<ModelStatistics>& statistics,
                                              std::int32_t trajectories) {
  const auto published = std::accumulate(
      statistics.begin(), statistics.end(), 0.0,
      [](double sum, const auto& model) { return sum + static_cast<double>(model.all_turns()); });
  std::vector<PlannedTrajectory> plan;
  double share = 0;
  for (const ModelStatistics& model : statistics) {
    share += static_cast<double>(model.all_turns()) / published;
    const auto first = static_cast<std::int32_t>(plan.size());
    const auto end = static_cast<std::int32_t>(std::lround(share * trajectories));
    const auto problems = static_cast<std::int32_t>(experiment.problems.size());
    const auto tags = static_cast<std::int32_t>(experiment.prompts.size());
    const std::int32_t replicas = (end - first + problems * tags - 1) / (problems * tags);
    for (std::int32_t number = 0; first + number < end; ++number) {
      const std::int32_t in_problem = number % (replicas * tags);
      const ProblemSpec& problem =
          experiment.problems.at(static_cast<std::size_t>(number / (replicas * tags)));
      PlannedTrajectory& trajectory = plan.emplace_back();
      trajectory.index = first + number;
      trajectory.id = fmt::format("exp_{:03}", in_problem);
      trajectory.model = model.model;
      trajectory.target = experiment.targets.front().name;
      trajectory.problem = problem.name;
      trajectory.definition = problem.problem.definition;
      trajectory.workload = problem.problem.workload;
      trajectory.prompt_block = in_problem / replicas;
      trajectory.prompt_tag =
          experiment.prompts.at(static_cast<std::size_t>(trajectory.prompt_block)).tag;
      trajectory.replica = in_problem % replicas;
    }
  }
  return plan;
}

}  // namespace ptxbatch
