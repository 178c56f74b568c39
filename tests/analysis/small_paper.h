// A small paper: two tables of two rows, the published turns that they come from, and a run of
// somebody's own beside them.
#pragma once

#include <string>

#include "results/paper_values.h"
#include "tests/analysis/hand_made.h"

namespace ptxbatch::testing {

inline PaperValues small_paper() {
  PaperValues values;
  values.tables = {{1, "Turn correctness (%)", "Model"}, {3, "What the prompt holds", "Prompt"}};
  values.problems = {{"GEMM", "gemm", "w"}, {"MHA-Fwd", "gemm", "w"}};
  const auto add = [&](int table, PaperMetric metric, const char* row, const char* problem,
                       const std::vector<const char*>& texts) {
    std::size_t next = 0;
    for (const std::int32_t turns : {1, 2}) {
      for (const bool with_target : {true, false}) {
        values.cells.push_back(
            {table, metric, "H100", row, problem, turns, with_target, texts.at(next++)});
      }
    }
  };
  const auto correctness = PaperMetric::kTurnCorrectness;
  add(1, correctness, "A", "GEMM", {"50.0", "50.0", "50.0", "75.0"});
  add(1, correctness, "A", "MHA-Fwd", {"", "", "", ""});
  add(1, correctness, "B", "GEMM", {"", "", "", "25.0"});
  add(1, correctness, "B", "MHA-Fwd", {"50.0", "50.0", "25.0", "25.0"});
  add(3, correctness, "parameters", "GEMM", {"", "", "50.0", "50.0"});
  add(3, PaperMetric::kBestSpeedup, "parameters", "GEMM", {"", "", "0.300", "0.300"});
  return values;
}

// Of A with GEMM only blocks 0 and 2 count; the row "parameters" is a block of another model.
inline constexpr const char* kSmallSelection = R"(kind = "published"
name = "small paper"
turns = 2
[[targets]]
name = "hopper"
device = "H100"
family = "H"
[[selections]]
run_blocks = 3
problems = ["GEMM"]
blocks = [0, 2]
[[rows]]
table = 3
row = "parameters"
model = "A, ablation"
blocks = [1]
[[differences]]
row = "B"
problem = "GEMM"
restriction = "unrestricted"
reason = "one of its turns is not published"
)";

inline void add_block(TurnTable& table, const std::string& model, const std::string& problem,
                      std::int32_t block, const std::vector<Turn>& turns) {
  add_trajectory(table, {model, problem, "block", "hopper"}, turns);
  table.trajectories.back().prompt_block = block;
}

inline TurnTable published_turns() {
  TurnTable table = empty_table(2);
  table.experiment_name = "small paper";
  table.experiment_text = kSmallSelection;
  table.devices = {{"hopper", "H100"}};
  const Turn fails = failed(Label::kRuntimeError);
  add_block(table, "A", "GEMM", 0, {with_target(0.5), without_target(0.6)});
  add_block(table, "A", "GEMM", 1, {with_target(0.9), with_target(0.9)});
  add_block(table, "A", "GEMM", 2, {fails, with_target(0.7)});
  add_block(table, "A", "MHA-Fwd", 0, {fails, fails});
  add_block(table, "B", "GEMM", 0, {fails, fails});
  add_block(table, "B", "MHA-Fwd", 0, {fails, fails});
  add_block(table, "B", "MHA-Fwd", 1, {with_target(0.2), fails});
  add_block(table, "A, ablation", "GEMM", 0, {with_target(0.8), with_target(0.8)});
  add_block(table, "A, ablation", "GEMM", 1, {fails, with_target(0.3)});
  add_block(table, "not in the paper", "GEMM", 0, {with_target(0.8)});
  return table;
}

inline TurnTable own_run() {
  TurnTable table = empty_table(2);
  table.experiment_name = "ours";
  table.experiment_text = "name = \"ours\"\n";
  table.devices = {{"hopper", "NVIDIA H200"}, {"host", "some processor"}};
  add_trajectory(table, {"C", "GEMM", "base", "hopper"}, {with_target(0.4), with_target(0.5)});
  add_trajectory(table, {"C", "GEMM", "base", "hopper"}, {failed(Label::kOtherError)});
  add_trajectory(table, {"C", "GEMM", "base", "host"}, {with_target(3)});
  return table;
}

}  // namespace ptxbatch::testing
