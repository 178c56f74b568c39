// How the paper lays a table out, and which trajectories of some results files stand in which cell.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/score_cells.h"
#include "results/paper_values.h"
#include "results/published_experiment.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// A table of numbers; rows, columns and limits in the paper's order.
struct PaperLayout {
  struct Row {
    std::string device;
    std::string name;
    bool operator==(const Row&) const = default;
  };
  PaperTable table;
  std::vector<Row> rows;
  std::vector<std::string> problems;
  std::vector<PaperProblem> identities;  // of the problems
  std::vector<PaperMetric> metrics;
  std::vector<std::int32_t> limits;
};

/// The kind of our tables that shows this metric of the paper's.
TableKind kind_of(PaperMetric metric);

/// The tables that print numbers of turns: 1, 3, 4, 7, 8 and 9.
std::vector<std::int32_t> numeric_paper_tables(const PaperValues& values);
PaperLayout paper_layout(const PaperValues& values, std::int32_t table);

/// What a file's experiment says of the paper's tables: nothing unless it is of published turns.
Result<PublishedExperiment> paper_selection(const TurnTable& table);

/// The trajectories of a table of the paper. In `conditions` a model is a row's name and a target a
/// device; the last one holds the trajectories that do not stand in the table. `shown` are the
/// others: the paper's rows first, in its order, then further models, which files of other than
/// published turns bring along. Problems that have but the name of a paper's do not stand in it.
struct PaperGrouping {
  Conditions conditions;
  std::vector<std::uint32_t> shown;
  std::vector<std::string> notes;  // sentences on what is left out
};
PaperGrouping group_for_paper(std::span<const TurnTable> tables,
                              std::span<const PublishedExperiment> selections,
                              const PaperLayout& layout);

}  // namespace ptxbatch
