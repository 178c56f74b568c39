#include "tests/quickstart/table_rows.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "common/csv.h"

namespace ptxbatch {
namespace {

enum Column : std::size_t { kMetric, kProblem, kTurns, kRestriction, kValue };

double value_of(const CsvFile& rows, std::size_t row) {
  if (rows.text(row, kValue).empty()) return 0;
  const auto value = rows.number(row, kValue);
  if (!value) throw std::runtime_error(describe(value.error()));
  return *value;
}

std::string text_of(const CellKey& key) {
  const auto& [problem, limit, restricted] = key;
  return problem + " within " + std::to_string(limit) +
         (restricted ? " turns with the target instruction" : " turns");
}

}  // namespace

Cells printed_cells(const std::string& csv, const std::string& metric) {
  const auto rows = CsvFile::parse(csv, "the printed table",
                                   {"metric", "problem", "turns", "restriction", "value"});
  if (!rows) throw std::runtime_error(describe(rows.error()));
  Cells cells;
  for (std::size_t row = 0; row < rows->size(); ++row) {
    if (rows->text(row, kMetric) != metric) continue;
    cells[{rows->text(row, kProblem), std::stoi(rows->text(row, kTurns)),
           rows->text(row, kRestriction) == "target_instruction"}] = value_of(*rows, row);
  }
  return cells;
}

Cells expected_correctness(const Judgements& expected, int trajectories,
                           const std::vector<int>& limits) {
  Cells cells;
  for (const auto& [key, judgement] : expected) {
    const auto& [problem, trajectory, turn] = key;
    for (const int limit : limits) {
      const bool correct = turn < limit && judgement.label == "Correct";
      const double share = 100.0 / (trajectories * limit);
      cells[{problem, limit, false}] += correct ? share : 0;
      cells[{problem, limit, true}] +=
          correct && judgement.target_instruction == "present" ? share : 0;
    }
  }
  return cells;
}

Cells expected_best_speedup(const RunRecords& run,
                            const std::vector<PlannedTrajectory>& trajectories,
                            const std::vector<int>& limits) {
  Cells cells;
  for (const TurnRecord& turn : run.turns) {
    const auto& problem = trajectories.at(static_cast<std::size_t>(turn.trajectory)).problem;
    for (const int limit : limits) {
      const bool counts = turn.turn < limit && turn.label == Label::kCorrect;
      const bool executed = turn.target_instruction == TargetInstruction::kPresent;
      double& any = cells[{problem, limit, false}];
      double& with_target = cells[{problem, limit, true}];
      if (counts) any = std::max(any, turn.speedup);
      if (counts && executed) with_target = std::max(with_target, turn.speedup);
    }
  }
  return cells;
}

std::string differences(const Cells& expected, const Cells& printed) {
  std::ostringstream lines;
  for (const auto& [key, value] : expected) {
    const auto found = printed.find(key);
    if (found == printed.end()) {
      lines << text_of(key) << ": not printed\n";
    } else if (!(std::abs(found->second - value) <= 1e-5 * value)) {
      lines << text_of(key) << ": " << found->second << " instead of " << value << "\n";
    }
  }
  for (const auto& [key, value] : printed) {
    if (!expected.contains(key)) lines << text_of(key) << ": printed, but not expected\n";
  }
  return lines.str();
}

}  // namespace ptxbatch
