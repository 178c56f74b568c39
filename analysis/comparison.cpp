#include "analysis/comparison.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/best_speedups.h"
#include "analysis/devices.h"
#include "analysis/judging.h"
#include "analysis/table_numbers.h"
#include "analysis/text.h"
#include "analysis/timing_method.h"
#include "common/return_if_error.h"

namespace ptxbatch {
namespace {

using ConditionKey = std::tuple<std::string, std::string, std::string>;

ConditionKey key_of(const Condition& condition) {
  return {condition.target, condition.model, condition.problem};
}

std::string text_of(const Condition& condition) {
  return fmt::format("{}, {}, {}", condition.target, condition.model, condition.problem);
}

/// One of the two files.
struct Side {
  Side(const TurnTable& of, std::span<const std::int32_t> limits, SpeedupKind speedup)
      : table(of),
        conditions(group_trajectories({&of, 1})),
        scored({&of, 1}, conditions, limits, speedup, true) {
    for (std::uint32_t i = 0; i < conditions.list.size(); ++i) {
      numbers[key_of(conditions.list[i])] = i;
    }
  }

  const TurnTable& table;
  Conditions conditions;
  ScoredConditions scored;
  std::map<ConditionKey, std::uint32_t> numbers;
};

// Conditions of both files, by their numbers in each, in the first's order.
using Shared = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Shared shared_conditions(const Side& first, const Side& second) {
  Shared shared;
  for (std::uint32_t i = 0; i < first.conditions.list.size(); ++i) {
    const auto found = second.numbers.find(key_of(first.conditions.list[i]));
    if (found != second.numbers.end()) shared.emplace_back(i, found->second);
  }
  return shared;
}

std::string conditions_text(const Conditions& conditions) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> texts;
  for (const Condition& condition : conditions.list) {
    if (texts.size() == kMost) {
      texts.emplace_back("…");
      break;
    }
    texts.push_back(text_of(condition));
  }
  return join(texts, "; ");
}

void note_single(const Side& side, const Side& other, std::string_view which,
                 std::vector<std::string>& notes) {
  std::vector<std::string> single;
  for (const Condition& condition : side.conditions.list) {
    if (!other.numbers.contains(key_of(condition))) single.push_back(text_of(condition));
  }
  if (single.empty()) return;
  notes.push_back(fmt::format("Only in the {}: {}.", which, join(single, "; ")));
}

// What is missing counts as not correct, so that a run without any turn has nothing to compare.
Status check_progress(const Side& side, std::string_view which, std::vector<std::string>& notes) {
  if (side.table.size() == 0) {
    return fail(ErrorKind::kInput, fmt::format("the {} file has no turns", which),
                "There is nothing to compare. 'ptxbatch status' says how far its run is.");
  }
  if (!side.table.complete) {
    notes.push_back(fmt::format("Of the {} file: {}", which, unfinished_note(side.table)));
  }
  return {};
}

// A difference that must be asked for: an error, or a note when it was.
Status allow(bool asked_for, const std::string& what, const std::string& option,
             std::vector<std::string>& notes) {
  if (!asked_for) {
    return fail(ErrorKind::kConflict, what,
                "Numbers from both would mix. To compare nevertheless, add --across " + option +
                    "; the output then says so.");
  }
  notes.push_back("Compared nevertheless: " + what + ".");
  return {};
}

// Nothing makes numbers of different problems comparable.
Status check_problems(const Side& first, const Side& second, const Shared& shared) {
  for (const auto& [number, other] : shared) {
    const Condition& a = first.conditions.list[number];
    const Condition& b = second.conditions.list[other];
    if (a.definition == b.definition && a.workload == b.workload) continue;
    return fail(ErrorKind::kConflict,
                fmt::format("{} is {} in the first file and {} in the second", a.problem,
                            identity_text(a.definition, a.workload),
                            identity_text(b.definition, b.workload)),
                "They are different problems: their numbers cannot be compared.");
  }
  return {};
}

Status check_devices(const Side& first, const Side& second, const Shared& shared,
                     const ComparisonOptions& options, std::vector<std::string>& notes) {
  std::set<std::string> targets;
  for (const auto& [number, other] : shared) {
    targets.insert(first.conditions.list[number].target);
  }
  for (const std::string& target : targets) {
    const std::string device = device_of(first.table, target);
    const std::string other = device_of(second.table, target);
    if (device == other) continue;
    const std::string what = fmt::format(
        "the target {} is {} in the first file and {} in the second", target, device, other);
    if (auto allowed = allow(options.across_devices, what, "devices", notes); !allowed) {
      return allowed;
    }
  }
  return {};
}

Status check_timing(const Side& first, const Side& second, const ComparisonOptions& options,
                    std::vector<std::string>& notes) {
  for (const auto& [side, which] : {std::pair{&first, "first"}, std::pair{&second, "second"}}) {
    if (has_speedups(side->table, options.speedup)) continue;
    return fail(ErrorKind::kConflict, fmt::format("the {} file has no paired speedups", which),
                "Leave out --speedup paired.");
  }
  const std::string method = timing_method(first.table, options.speedup);
  const std::string other = timing_method(second.table, options.speedup);
  if (method == other) return {};
  return allow(options.across_timing,
               fmt::format("speedups are {} in the first file and {} in the second", method, other),
               "timing", notes);
}

Status check_judging(const Side& first, const Side& second, const ComparisonOptions& options,
                     std::vector<std::string>& notes) {
  const std::vector<std::string> differences = judging_differences(first.table, second.table);
  if (differences.empty()) return {};
  return allow(options.across_judging, join(differences, "; "), "judging", notes);
}

void add_numbers(const Side& first, const Side& second, const Shared& shared, TableKind kind,
                 std::vector<ComparedNumber>& numbers) {
  for (const auto& [a, b] : shared) {
    const Condition& of = first.conditions.list[a];
    for (const bool with_target : {true, false}) {
      for (std::size_t limit = 0; limit < first.scored.limits.size(); ++limit) {
        const TrajectoryScores& mine = *first.scored.of(a, limit, with_target);
        const TrajectoryScores& theirs = *second.scored.of(b, limit, with_target);
        const LimitScore& at = first.scored.scores[a][limit];
        const LimitScore& beside = second.scored.scores[b][limit];
        numbers.push_back(
            {kind, of.target, of.model, of.problem, at.limit, with_target,
             value_of(kind, at, with_target ? at.with_target : at.unrestricted),
             value_of(kind, beside, with_target ? beside.with_target : beside.unrestricted),
             kind == TableKind::kBestSpeedup ? best_speedup_difference(theirs, mine)
                                             : correctness_difference(theirs, mine)});
      }
    }
  }
}

}  // namespace

Result<Comparison> compare(const TurnTable& first, const TurnTable& second,
                           const ComparisonOptions& options) {
  std::vector<std::int32_t> limits = capped_limits({&first, 1}, options.turns);
  limits = capped_limits({&second, 1}, limits);
  const Side a(first, limits, options.speedup);
  const Side b(second, limits, options.speedup);
  const Shared shared = shared_conditions(a, b);
  if (shared.empty()) {
    return fail(ErrorKind::kInput, "the files have no target, model and problem in common",
                "The first has " + conditions_text(a.conditions) + ". The second has " +
                    conditions_text(b.conditions) + ".");
  }
  Comparison comparison;
  comparison.speedup = options.speedup;
  PTXBATCH_RETURN_IF_ERROR(check_progress(a, "first", comparison.notes));
  PTXBATCH_RETURN_IF_ERROR(check_progress(b, "second", comparison.notes));
  PTXBATCH_RETURN_IF_ERROR(check_problems(a, b, shared));
  PTXBATCH_RETURN_IF_ERROR(check_devices(a, b, shared, options, comparison.notes));
  PTXBATCH_RETURN_IF_ERROR(check_timing(a, b, options, comparison.notes));
  PTXBATCH_RETURN_IF_ERROR(check_judging(a, b, options, comparison.notes));
  note_single(a, b, "first", comparison.notes);
  note_single(b, a, "second", comparison.notes);
  for (const TableKind kind : kComparedKinds) add_numbers(a, b, shared, kind, comparison.numbers);
  return comparison;
}

}  // namespace ptxbatch
