// Every number of the paper's tables beside the same number from some results files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/score_cells.h"
#include "common/error.h"
#include "results/paper_values.h"
#include "results/turn_table.h"

namespace ptxbatch {

struct CheckedCell {
  // Unfinished: the run that it is of still goes on, or was stopped; it is not judged.
  enum class State { kMatches, kDiffers, kMissing, kUnfinished };
  // Of a cell that differs. Chance: two like results differ so far in 95 of 100 cases. Unjudged:
  // nothing can be said, since ours has too few trajectories or since ours is the lesser best.
  enum class Cause { kNone, kKnown, kChance, kUnjudged, kUnknown };

  PaperCell paper;
  State state = State::kMissing;
  std::string here;  // as printed; empty when missing
  Cause cause = Cause::kNone;
  std::string reason;  // a sentence on the difference
};

struct PaperCheck {
  std::vector<CheckedCell> cells;  // in the paper's order
  std::vector<std::string> notes;  // sentences on the files
};

/// Cells match when they are the same to the last printed digit.
Result<PaperCheck> check_paper(const std::vector<TurnTable>& tables, const PaperValues& values);

struct CheckCounts {
  std::size_t matching = 0;
  std::size_t differing = 0;
  std::size_t missing = 0;
  std::size_t unfinished = 0;
  std::size_t unexplained = 0;  // of those that differ
  std::size_t unjudged = 0;     // of those that differ

  [[nodiscard]] std::size_t compared() const { return matching + differing; }
};
CheckCounts count_cells(const std::vector<CheckedCell>& cells);

/// Tables in the paper's layout with "here≠paper" where they differ, then what differs and why,
/// then a line of counts. As CSV a row a number.
std::string render_check(const PaperCheck& check, const PaperValues& values, TableFormat format,
                         std::size_t width);

}  // namespace ptxbatch
