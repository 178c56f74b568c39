#include "tests/quickstart/table_rows.h"

#include <cmath>
#include <sstream>
#include <vector>

namespace ptxbatch {
namespace {

double rounded(double percent) {
  return std::round(percent * 100) / 100;
}

}  // namespace

CorrectnessTable printed_correctness(const std::string& csv) {
  CorrectnessTable table;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    // metric,target,model,problem,turns,restriction,label,value
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    if (fields.size() < 7 || fields[0] != "turn_correctness_pct") continue;
    const bool restricted = fields[5] == "target_instruction";
    const double percent = fields.size() < 8 ? 0 : std::stod(fields[7]);  // an empty cell: none
    table[{fields[3], std::stoi(fields[4]), restricted}] = rounded(percent);
  }
  return table;
}

CorrectnessTable expected_correctness(const Judgements& expected, int trajectories,
                                      const std::vector<int>& limits) {
  CorrectnessTable table;
  for (const auto& [key, judgement] : expected) {
    const auto& [problem, trajectory, turn] = key;
    for (const int limit : limits) {
      const bool correct = turn < limit && judgement.label == "Correct";
      const double share = 100.0 / (trajectories * limit);
      table[{problem, limit, false}] += correct ? share : 0;
      table[{problem, limit, true}] +=
          correct && judgement.target_instruction == "present" ? share : 0;
    }
  }
  for (auto& [key, percent] : table) percent = rounded(percent);
  return table;
}

}  // namespace ptxbatch
