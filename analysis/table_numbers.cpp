#include "analysis/table_numbers.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/devices.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

// How many trajectories stand behind a cell: once when all agree, else one by one.
std::string trajectories_note(const TableNumbers& numbers,
                              const std::vector<std::uint32_t>& which) {
  const auto& list = numbers.conditions.list;
  const std::int64_t first = list[which.front()].trajectories;
  const bool all_equal = std::all_of(which.begin(), which.end(), [&](std::uint32_t number) {
    return list[number].trajectories == first;
  });
  if (all_equal) {
    return counted(first, "trajectory", "trajectories") + " for each model and problem.";
  }
  constexpr std::size_t kMostParts = 8;
  if (which.size() > kMostParts) {
    const auto fewer = [&](std::uint32_t a, std::uint32_t b) {
      return list[a].trajectories < list[b].trajectories;
    };
    const auto [least, most] = std::minmax_element(which.begin(), which.end(), fewer);
    return fmt::format("{} to {} trajectories for each model and problem.",
                       list[*least].trajectories, list[*most].trajectories);
  }
  std::vector<std::string> parts;
  for (const std::uint32_t number : which) {
    const Condition& of = list[number];
    parts.push_back(
        fmt::format("{}, {}, {}: {}", of.target, of.model, of.problem, of.trajectories));
  }
  return "Trajectories: " + join(parts, "; ") + ".";
}

bool contributes(const std::vector<Conditions::Place>& places,
                 const std::vector<std::uint32_t>& which) {
  return std::any_of(places.begin(), places.end(), [&](Conditions::Place place) {
    return std::find(which.begin(), which.end(), place.condition) != which.end();
  });
}

// A name of several problems is several columns: that must be said too.
void add_name_note(Sheet& sheet, const TableNumbers& numbers,
                   const std::vector<std::uint32_t>& which) {
  std::vector<std::string> problems;
  for (const std::uint32_t number : which) {
    const Condition& of = numbers.conditions.list[number];
    if (!of.shares_name) continue;
    if (std::find(problems.begin(), problems.end(), of.problem) == problems.end()) {
      problems.push_back(of.problem);
    }
  }
  if (problems.empty()) return;
  sheet.notes.push_back(
      "Different problems of one name, not taken together: " + join(problems, "; ") + ".");
}

bool has_too_few(const TableNumbers& numbers, const std::vector<std::uint32_t>& which) {
  return std::any_of(which.begin(), which.end(), [&](std::uint32_t number) {
    return numbers.conditions.list[number].trajectories <
           static_cast<std::int64_t>(kLeastTrajectories);
  });
}

void add_unknown_note(Sheet& sheet, const TableNumbers& numbers,
                      const std::vector<std::uint32_t>& which) {
  std::int64_t unknown = 0;
  for (const std::uint32_t number : which) unknown += numbers.labels[number].unknown_target;
  if (unknown == 0) return;
  sheet.notes.push_back("Target instruction unknown in " +
                        counted(unknown, "correct turn", "correct turns") +
                        ": not counted as executed.");
}

// A condition of several files is one cell: that must be said.
void add_pooled_note(Sheet& sheet, const TableNumbers& numbers,
                     const std::vector<std::uint32_t>& which) {
  std::vector<std::size_t> last_file(numbers.conditions.list.size(), 0);
  std::vector<std::string> pooled;
  for (std::size_t t = 0; t < numbers.conditions.places.size(); ++t) {
    for (const Conditions::Place place : numbers.conditions.places[t]) {
      std::size_t& last = last_file[place.condition];
      if (last != 0 && last != t + 1 &&
          std::find(which.begin(), which.end(), place.condition) != which.end()) {
        const Condition& of = numbers.conditions.list[place.condition];
        pooled.push_back(fmt::format("{}, {}, {}", of.target, of.model, of.problem));
      }
      last = t + 1;
    }
  }
  if (pooled.empty()) return;
  sheet.notes.push_back("Taken together from several files: " + join(pooled, "; ") + ".");
}

}  // namespace

TableNumbers::TableNumbers(std::span<const TurnTable> all, Conditions grouped,
                           std::span<const std::int32_t> limits, SpeedupKind speedup,
                           bool intervals)
    : tables(all),
      conditions(std::move(grouped)),
      scored(all, conditions, limits, speedup, intervals),
      labels(count_labels(all, conditions)) {}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string unfinished_note(const TurnTable& table) {
  return fmt::format(
      "Incomplete: {} has {} of at most {} turns so far; what is missing counts as not correct.",
      table.experiment_name, table.size(),
      table.trajectories.size() * static_cast<std::size_t>(table.max_turns));
}

void add_run_notes(Sheet& sheet, const TableNumbers& numbers,
                   const std::vector<std::uint32_t>& which) {
  add_name_note(sheet, numbers, which);
  for (std::size_t t = 0; t < numbers.tables.size(); ++t) {
    if (!contributes(numbers.conditions.places[t], which)) continue;
    const TurnTable& table = numbers.tables[t];
    if (!table.complete) sheet.notes.push_back(unfinished_note(table));
    if (!numbers.scored.limits.empty() && table.max_turns < numbers.scored.limits.back()) {
      sheet.notes.push_back(fmt::format("{} allows {}: its numbers stay as they are beyond.",
                                        table.experiment_name,
                                        counted(table.max_turns, "turn", "turns")));
    }
  }
}

std::vector<std::string> device_notes(std::span<const TurnTable> tables,
                                      const Conditions& conditions,
                                      const std::vector<std::uint32_t>& which) {
  std::map<std::string, std::vector<std::string>> devices;  // by target
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (!contributes(conditions.places[t], which)) continue;
    for (const TargetDevice& device : tables[t].devices) {
      auto& names = devices[device.target];
      const std::string name = short_device_name(device.name);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::set<std::string> shown;
  for (const std::uint32_t number : which) shown.insert(conditions.list[number].target);
  std::vector<std::string> notes;
  for (const auto& [target, names] : devices) {
    if (!shown.contains(target) || names.size() < 2) continue;
    notes.push_back(
        fmt::format("Target {} ran on different devices, whose speedups are not comparable: {}.",
                    target, join(names, "; ")));
  }
  return notes;
}

std::vector<std::string> device_notes(std::span<const TurnTable> tables) {
  const Conditions conditions = group_trajectories(tables);
  std::vector<std::uint32_t> all(conditions.list.size());
  std::iota(all.begin(), all.end(), 0U);
  return device_notes(tables, conditions, all);
}

void add_device_note(Sheet& sheet, const TableNumbers& numbers,
                     const std::vector<std::uint32_t>& which) {
  for (std::string& note : device_notes(numbers.tables, numbers.conditions, which)) {
    sheet.notes.push_back(std::move(note));
  }
}

void add_score_notes(Sheet& sheet, const TableNumbers& numbers,
                     const std::vector<std::uint32_t>& which, TableKind kind,
                     const CellStyle& style) {
  const KindText text = kind_text(kind);
  sheet.notes.push_back(cell_legend(numbers.scored.limits, style));
  if (!text.definition.empty()) sheet.notes.emplace_back(text.definition);
  if (style.intervals) {
    sheet.notes.emplace_back(text.intervals);
    if (has_too_few(numbers, which)) sheet.notes.push_back(too_few_note());
  }
  sheet.notes.push_back(trajectories_note(numbers, which));
  add_unknown_note(sheet, numbers, which);
  add_pooled_note(sheet, numbers, which);
  add_run_notes(sheet, numbers, which);
}

void share_notes(std::vector<Sheet>& sheets) {
  std::vector<std::string> shared;
  for (Sheet& sheet : sheets) {
    for (std::string& note : sheet.notes) {
      if (std::find(shared.begin(), shared.end(), note) == shared.end()) {
        shared.push_back(std::move(note));
      }
    }
    sheet.notes.clear();
  }
  if (!sheets.empty()) sheets.back().notes = std::move(shared);
}

}  // namespace ptxbatch
