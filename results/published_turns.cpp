#include "results/published_turns.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "common/csv.h"
#include "common/return_if_error.h"

namespace ptxbatch {
namespace {

enum Column : std::size_t {
  kModel,
  kArch,
  kDefinition,
  kWorkload,
  kRun,
  kTrajectory,
  kTurn,
  kCorrectness,
  kSpeedup,
  kTag,
  kWithTarget,
  kReasoningTokens
};

const std::vector<std::string>& column_names() {
  static const std::vector<std::string> names = {"model",
                                                 "arch",
                                                 "definition",
                                                 "workload",
                                                 "run",
                                                 "trajectory_id",
                                                 "turn",
                                                 "correctness",
                                                 "speedup",
                                                 "target_instruction_tag",
                                                 "correct_with_target",
                                                 "reasoning_tokens"};
  return names;
}

constexpr std::string_view kTrajectoryPrefix = "exp_";
constexpr std::size_t kMostDigits = 9;

// "exp_003": 3.
std::optional<std::int32_t> trajectory_number(std::string_view id) {
  if (!id.starts_with(kTrajectoryPrefix)) return std::nullopt;
  const std::string_view digits = id.substr(kTrajectoryPrefix.size());
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  std::int32_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = 10 * number + (digit - '0');
  }
  return number;
}

std::string label_list() {
  std::string list;
  for (int label = 0; label < kLabelCount; ++label) {
    list += (label == 0 ? "" : ", ") + std::string(label_name(static_cast<Label>(label)));
  }
  return list;
}

bool has_family(std::string_view tag, std::string_view family) {
  while (!tag.empty()) {
    const std::size_t end = std::min(tag.find('+'), tag.size());
    if (tag.substr(0, end) == family) return true;
    tag.remove_prefix(std::min(end + 1, tag.size()));
  }
  return false;
}

/// Reads row after row into runs.
class TurnReader {
 public:
  TurnReader(const CsvFile& csv, const PublishedExperiment& experiment)
      : csv_(csv), experiment_(experiment) {}

  Status add(std::size_t row) {
    const auto run = find_run(row);
    if (!run) return fail(run.error());
    const auto number = trajectory_number(csv_.text(row, kTrajectory));
    if (!number) {
      return fail(
          csv_.error(row, kTrajectory,
                     "is '" + csv_.text(row, kTrajectory) + "', expected a number as in exp_003"));
    }
    auto turn = read_turn(row);
    if (!turn) return fail(turn.error());
    auto& turns = trajectories_[*run][*number];
    const auto [entry, is_new] = turns.try_emplace(turn->turn, *turn);
    if (!is_new) {
      return fail(csv_.error(row, kTurn,
                             "is " + std::to_string(turn->turn) + " for " +
                                 csv_.text(row, kTrajectory) + " in run " + csv_.text(row, kRun) +
                                 " a second time",
                             "The first is in line " + std::to_string(entry->second.line) + "."));
    }
    return {};
  }

  std::vector<PublishedRun> take() {
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      for (const auto& [number, turns] : trajectories_[run]) {
        PublishedTrajectory& trajectory = runs_[run].trajectories.emplace_back();
        trajectory.number = number;
        for (const auto& [index, turn] : turns) trajectory.turns.push_back(turn);
      }
    }
    return std::move(runs_);
  }

 private:
  Result<std::size_t> find_run(std::size_t row) {
    const auto [entry, is_new] = run_numbers_.try_emplace(csv_.text(row, kRun), runs_.size());
    if (is_new) {
      if (auto known = check_names(row); !known) return fail(known.error());
      runs_.push_back({csv_.text(row, kRun),
                       csv_.text(row, kModel),
                       csv_.text(row, kArch),
                       csv_.text(row, kDefinition),
                       csv_.text(row, kWorkload),
                       {}});
      trajectories_.emplace_back();
      return entry->second;
    }
    const PublishedRun& run = runs_[entry->second];
    for (const auto& [column, expected] :
         {std::pair{kModel, &run.model}, std::pair{kArch, &run.target},
          std::pair{kDefinition, &run.definition}, std::pair{kWorkload, &run.workload}}) {
      if (csv_.text(row, column) != *expected) {
        return fail(csv_.error(row, column,
                               "is '" + csv_.text(row, column) + "', but earlier rows of run " +
                                   run.name + " have '" + *expected + "'"));
      }
    }
    return entry->second;
  }

  [[nodiscard]] Status check_names(std::size_t row) const {
    for (const Column column : {kModel, kDefinition, kRun}) {
      if (csv_.text(row, column).empty()) return fail(csv_.error(row, column, "is empty"));
    }
    if (target_of(row) == nullptr) {
      std::string known;
      for (const auto& target : experiment_.targets) {
        known += (known.empty() ? "" : ", ") + target.name;
      }
      return fail(
          csv_.error(row, kArch, "is '" + csv_.text(row, kArch) + "', expected one of: " + known));
    }
    return {};
  }

  [[nodiscard]] const PublishedTarget* target_of(std::size_t row) const {
    for (const PublishedTarget& target : experiment_.targets) {
      if (target.name == csv_.text(row, kArch)) return &target;
    }
    return nullptr;
  }

  Result<PublishedTurn> read_turn(std::size_t row) {
    PublishedTurn turn;
    turn.line = csv_.line(row);
    const auto index = csv_.integer(row, kTurn, 0, experiment_.turns - 1);
    if (!index) return fail(index.error());
    const auto label = label_from_name(csv_.text(row, kCorrectness));
    if (!label) {
      return fail(csv_.error(row, kCorrectness,
                             "is '" + csv_.text(row, kCorrectness) + "', which is no outcome",
                             "Expected one of: " + label_list() + "."));
    }
    const auto speedup = csv_.number(row, kSpeedup);
    if (!speedup) return fail(speedup.error());
    if (*speedup < 0 || (*speedup == 0) != (*label != Label::kCorrect)) {
      return fail(csv_.error(row, kSpeedup,
                             "is " + csv_.text(row, kSpeedup) +
                                 ", expected a positive number for a correct turn "
                                 "and 0 for any other"));
    }
    const auto tokens =
        csv_.integer(row, kReasoningTokens, 0, std::numeric_limits<std::int64_t>::max());
    if (!tokens) return fail(tokens.error());
    const auto state = target_instruction(row, *label);
    if (!state) return fail(state.error());
    turn.turn = static_cast<std::int32_t>(*index);
    turn.label = *label;
    turn.speedup = *speedup;
    turn.target_instruction = *state;
    turn.reasoning_tokens = *tokens;
    return turn;
  }

  // Present: executed. Of the others the tag says whether the family is in the binary.
  [[nodiscard]] Result<TargetInstruction> target_instruction(std::size_t row, Label label) const {
    const auto present = csv_.integer(row, kWithTarget, 0, 1);
    if (!present) return fail(present.error());
    if (label != Label::kCorrect) {
      if (*present == 0) return TargetInstruction::kNotExamined;
      return fail(csv_.error(row, kWithTarget, "is 1, but the turn is not correct"));
    }
    if (*present == 1) return TargetInstruction::kPresent;
    return has_family(csv_.text(row, kTag), target_of(row)->family)
               ? TargetInstruction::kNotExecuted
               : TargetInstruction::kAbsent;
  }

  const CsvFile& csv_;
  const PublishedExperiment& experiment_;
  std::vector<PublishedRun> runs_;
  std::map<std::string, std::size_t> run_numbers_;
  // [run][trajectory][turn]
  std::vector<std::map<std::int32_t, std::map<std::int32_t, PublishedTurn>>> trajectories_;
};

}  // namespace

Result<std::vector<PublishedRun>> read_published_turns(const std::string& path,
                                                       const PublishedExperiment& experiment) {
  const auto csv = CsvFile::read(path, column_names());
  if (!csv) return fail(csv.error());
  if (csv->size() == 0) {
    return fail(Error{ErrorKind::kInput, "the file has a header and no turns", {}, path, 0, 0, {}});
  }
  TurnReader reader(*csv, experiment);
  for (std::size_t row = 0; row < csv->size(); ++row) {
    PTXBATCH_RETURN_IF_ERROR(reader.add(row));
  }
  return reader.take();
}

}  // namespace ptxbatch
