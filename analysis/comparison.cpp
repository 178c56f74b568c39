#include "analysis/comparison.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "analysis/devices.h"
#include "analysis/table_numbers.h"
#include "analysis/text.h"
#include "analysis/timing_method.h"
#include "common/return_if_error.h"

namespace ptxbatch {
namespace {

constexpr std::array kKinds = {TableKind::kCorrectness, TableKind::kBestSpeedup};

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

double unit_of(TableKind kind) {
  return kind == TableKind::kBestSpeedup ? 1 : 100;
}

std::string signed_text(TableKind kind, double value) {
  return kind == TableKind::kBestSpeedup ? fmt::format("{:+.3f}", value)
                                         : fmt::format("{:+.1f}", 100 * value);
}

// "33.3 → 62.5: +29.2 [3.1, 48.0] *"; nothing happened: "33.3".
std::string number_text(const ComparedNumber& number) {
  if (number.first == number.second) return value_text(number.kind, number.first);
  return fmt::format("{} → {}: {} [{}, {}]{}", value_text(number.kind, number.first),
                     value_text(number.kind, number.second),
                     signed_text(number.kind, number.change.value),
                     signed_text(number.kind, number.change.interval.low),
                     signed_text(number.kind, number.change.interval.high),
                     number.change.beyond_chance() ? " *" : "");
}

Sheet comparison_sheet(const std::vector<ComparedNumber>& numbers, TableKind kind) {
  Sheet sheet;
  sheet.title = kind_text(kind).title;
  sheet.header = {"Target", "Model", "Problem", "Counted"};
  sheet.name_columns = sheet.header.size();
  std::vector<std::int32_t> limits;
  for (const ComparedNumber& number : numbers) {
    if (number.kind != kind) continue;
    if (std::find(limits.begin(), limits.end(), number.turns) == limits.end()) {
      limits.push_back(number.turns);
      sheet.header.push_back(counted(number.turns, "turn", "turns"));
    }
    if (number.turns == limits.front()) {
      sheet.rows.push_back({number.target, number.model, number.problem,
                            number.with_target ? "target instruction" : "all correct"});
    }
    sheet.rows.back().push_back(number_text(number));
  }
  return sheet;
}

std::string comparison_csv(const std::vector<ComparedNumber>& numbers) {
  std::string csv =
      "metric,target,model,problem,turns,restriction,first,second,difference,low,high,"
      "beyond_chance\n";
  for (const ComparedNumber& number : numbers) {
    const double unit = unit_of(number.kind);
    const auto text = [&](double value) { return fmt::format("{:.6g}", unit * value); };
    const std::vector<std::string> row = {
        std::string(kind_text(number.kind).metric),
        number.target,
        number.model,
        number.problem,
        std::to_string(number.turns),
        number.with_target ? "target_instruction" : "unrestricted",
        text(number.first),
        text(number.second),
        text(number.change.value),
        text(number.change.interval.low),
        text(number.change.interval.high),
        number.change.beyond_chance() ? "1" : "0"};
    csv += join_changed(row, ",", csv_field) + '\n';
  }
  return csv;
}

std::vector<std::string> closing_notes(const Comparison& comparison) {
  std::vector<std::string> notes = {
      "A cell: first → second: difference [95 % interval]; * where 0 lies outside it. A number "
      "alone is the same in both.",
      "Turn correctness: Newcombe's interval from Wilson intervals with the number of independent "
      "turns that vary as much as the trajectories do. Best speedup: bootstrap over trajectories.",
  };
  notes.insert(notes.end(), comparison.notes.begin(), comparison.notes.end());
  const auto beyond =
      std::count_if(comparison.numbers.begin(), comparison.numbers.end(),
                    [](const ComparedNumber& number) { return number.change.beyond_chance(); });
  notes.push_back(fmt::format(
      "{} of {} numbers differ by more than chance; chance alone would mark up to 1 in 20.", beyond,
      comparison.numbers.size()));
  return notes;
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
  PTXBATCH_RETURN_IF_ERROR(check_devices(a, b, shared, options, comparison.notes));
  PTXBATCH_RETURN_IF_ERROR(check_timing(a, b, options, comparison.notes));
  note_single(a, b, "first", comparison.notes);
  note_single(b, a, "second", comparison.notes);
  for (const TableKind kind : kKinds) add_numbers(a, b, shared, kind, comparison.numbers);
  return comparison;
}

std::string render_comparison(const Comparison& comparison, const std::string& first,
                              const std::string& second, TableFormat format, std::size_t width) {
  if (format == TableFormat::kCsv) return comparison_csv(comparison.numbers);
  std::vector<std::string> texts;
  for (const TableKind kind : kKinds) {
    Sheet sheet = comparison_sheet(comparison.numbers, kind);
    sheet.title += fmt::format(": {} → {}", first, second);
    if (kind == kKinds.back()) sheet.notes = closing_notes(comparison);
    texts.push_back(render_sheet(sheet, format, width));
  }
  return join(texts, "\n");
}

}  // namespace ptxbatch
