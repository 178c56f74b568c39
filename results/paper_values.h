// The paper's tables as data, from results/paper: titles, and every number that Tables 1, 3, 4, 7,
// 8 and 9 print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

enum class PaperMetric { kTurnCorrectness, kBestSpeedup };

/// One number in one cell.
struct PaperCell {
  std::int32_t table = 0;
  PaperMetric metric = PaperMetric::kTurnCorrectness;
  std::string device;  // "H100"
  std::string row;
  std::string problem;
  std::int32_t turns = 0;
  bool with_target = false;  // counting only turns that executed the target instruction
  std::string text;          // as printed: per cent with one decimal, speedup with three; "": –
};

struct PaperTable {
  std::int32_t number = 0;
  std::string title;
  std::string row_header;
};

/// What a problem of the paper's is: other problems of its name are not the paper's.
struct PaperProblem {
  std::string name;
  std::string definition;
  std::string workload;
};

struct PaperValues {
  std::vector<PaperTable> tables;
  std::vector<PaperCell> cells;
  std::vector<PaperProblem> problems;  // each that the cells name
};

/// From `folder`/tables.csv, problems.csv and cells.csv.
Result<PaperValues> read_paper_values(const std::string& folder);

}  // namespace ptxbatch
