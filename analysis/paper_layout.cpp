#include "analysis/paper_layout.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/counted_blocks.h"
#include "analysis/devices.h"

namespace ptxbatch {
namespace {

constexpr const char* kHostTarget = "host";

template <class T>
void add_once(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

template <class T>
bool contains(const std::vector<T>& list, const T& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

using ConditionKey = std::tuple<std::string, std::string, std::string>;

/// Where one file's trajectories stand in a table.
class FileSelector {
 public:
  FileSelector(const TurnTable& table, const PublishedExperiment& selection,
               const PaperLayout& layout)
      : table_(table), selection_(selection), layout_(layout), blocks_(table, selection) {}

  /// The name of its row; nothing when it does not stand in the table.
  [[nodiscard]] std::optional<std::string> row_of(const PlannedTrajectory& planned) const {
    const PaperProblem* problem = papers_problem(planned);
    if (problem == nullptr || !is_same(planned, *problem)) return std::nullopt;
    for (const PaperRow& row : selection_.rows) {
      if (row.table != layout_.table.number || row.model != planned.model) continue;
      if (!is_row(row.row, planned)) continue;
      if (row.blocks.empty() ? blocks_.counts(planned)
                             : contains(row.blocks, planned.prompt_block)) {
        return row.row;
      }
    }
    if (!is_row(planned.model, planned) || !blocks_.counts(planned)) return std::nullopt;
    return planned.model;
  }

  /// Why it does not, when a reader would expect it to; empty otherwise.
  [[nodiscard]] std::string note_on(const PlannedTrajectory& planned) const {
    const PaperProblem* problem = papers_problem(planned);
    if (problem == nullptr || is_same(planned, *problem)) return {};
    return fmt::format("Left out: {} of {} is {}; the paper's is {}.", planned.problem,
                       table_.experiment_name, identity_text(planned.definition, planned.workload),
                       identity_text(problem->definition, problem->workload));
  }

 private:
  // That of this name; null where the table has none, or none on this target.
  [[nodiscard]] const PaperProblem* papers_problem(const PlannedTrajectory& planned) const {
    if (planned.target == kHostTarget) return nullptr;
    const auto found =
        std::find_if(layout_.identities.begin(), layout_.identities.end(),
                     [&](const PaperProblem& problem) { return problem.name == planned.problem; });
    return found == layout_.identities.end() ? nullptr : &*found;
  }

  static bool is_same(const PlannedTrajectory& planned, const PaperProblem& problem) {
    return planned.definition == problem.definition && planned.workload == problem.workload;
  }

  // Published turns fill the paper's rows alone; other files may bring models of their own.
  [[nodiscard]] bool is_row(const std::string& name, const PlannedTrajectory& planned) const {
    if (selection_.name.empty()) return true;
    return contains(layout_.rows, PaperLayout::Row{device_of(table_, planned.target), name});
  }

  const TurnTable& table_;
  const PublishedExperiment& selection_;
  const PaperLayout& layout_;
  CountedBlocks blocks_;
};

// Conditions by row, device and problem: the paper's first, then others as they come.
class ConditionList {
 public:
  explicit ConditionList(const PaperLayout& layout) {
    for (const PaperLayout::Row& row : layout.rows) {
      for (const std::string& problem : layout.problems) find({row.name, row.device, problem});
    }
  }

  std::uint32_t find(const ConditionKey& key) {
    const auto next = static_cast<std::uint32_t>(list_.size());
    const auto [entry, is_new] = numbers_.try_emplace(key, next);
    if (is_new) {
      const auto& [row, device, problem] = key;
      list_.push_back({row, device, problem, {}, 0, {}, {}, false});
    }
    return entry->second;
  }

  std::vector<Condition> take() { return std::move(list_); }

 private:
  std::vector<Condition> list_;
  std::map<ConditionKey, std::uint32_t> numbers_;
};

}  // namespace

TableKind kind_of(PaperMetric metric) {
  return metric == PaperMetric::kBestSpeedup ? TableKind::kBestSpeedup : TableKind::kCorrectness;
}

std::vector<std::int32_t> numeric_paper_tables(const PaperValues& values) {
  std::set<std::int32_t> numbers;
  for (const PaperCell& cell : values.cells) numbers.insert(cell.table);
  return {numbers.begin(), numbers.end()};
}

PaperLayout paper_layout(const PaperValues& values, std::int32_t table) {
  PaperLayout layout;
  for (const PaperTable& known : values.tables) {
    if (known.number == table) layout.table = known;
  }
  for (const PaperCell& cell : values.cells) {
    if (cell.table != table) continue;
    add_once(layout.rows, {cell.device, cell.row});
    add_once(layout.problems, cell.problem);
    add_once(layout.metrics, cell.metric);
    add_once(layout.limits, cell.turns);
  }
  for (const PaperProblem& problem : values.problems) {
    if (contains(layout.problems, problem.name)) layout.identities.push_back(problem);
  }
  std::sort(layout.limits.begin(), layout.limits.end());
  return layout;
}

Result<PublishedExperiment> paper_selection(const TurnTable& table) {
  if (!is_published_experiment(table.experiment_text)) return PublishedExperiment{};
  auto experiment = parse_published_experiment(table.experiment_text, table.experiment_name);
  if (!experiment) return fail(experiment.error().front());
  return std::move(*experiment);
}

PaperGrouping group_for_paper(std::span<const TurnTable> tables,
                              std::span<const PublishedExperiment> selections,
                              const PaperLayout& layout) {
  constexpr std::uint32_t kNowhere = UINT32_MAX;
  PaperGrouping grouping;
  ConditionList conditions(layout);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const FileSelector selector(tables[t], selections[t], layout);
    auto& places = grouping.conditions.places.emplace_back();
    for (const PlannedTrajectory& planned : tables[t].trajectories) {
      const auto row = selector.row_of(planned);
      if (const std::string note = selector.note_on(planned); !note.empty()) {
        add_once(grouping.notes, note);
      }
      places.push_back(
          {row ? conditions.find({*row, device_of(tables[t], planned.target), planned.problem})
               : kNowhere,
           0});
    }
  }
  grouping.conditions.list = conditions.take();
  const auto nowhere = static_cast<std::uint32_t>(grouping.conditions.list.size());
  grouping.conditions.list.push_back({});
  for (auto& places : grouping.conditions.places) {
    for (Conditions::Place& place : places) {
      if (place.condition == kNowhere) place.condition = nowhere;
      ++grouping.conditions.list[place.condition].trajectories;
    }
  }
  for (std::uint32_t i = 0; i < nowhere; ++i) {
    if (grouping.conditions.list[i].trajectories > 0) grouping.shown.push_back(i);
  }
  return grouping;
}

}  // namespace ptxbatch
