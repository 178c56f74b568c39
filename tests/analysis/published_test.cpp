// The metrics against the paper: every published turn is imported, every printed number must come
// out. Which trajectories a table uses is data, in experiments/paper/published.toml.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analysis/paper_check.h"
#include "analysis/paper_layout.h"
#include "results/published_import.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

std::string published(const std::string& name) {
  return std::string(PUBLISHED_FOLDER) + "/" + name;
}

std::string source(const std::string& path) {
  return std::string(SOURCE_FOLDER) + "/" + path;
}

class Published : public testing::Test {
 protected:
  void SetUp() override {
    if (!real_file_system().exists(published("turns.csv"))) {
      GTEST_SKIP() << "the published data is not in " << PUBLISHED_FOLDER;
    }
  }

  TurnTable imported(bool with_unknown_turns) {
    PublishedImport request{published("turns.csv"), std::nullopt,
                            source("experiments/paper/published.toml"), folder_.file("out.h5")};
    if (with_unknown_turns) request.unknown_turns = published("unknown_turns.csv");
    const auto summary = import_published(real_file_system(), request);
    if (!summary) throw std::runtime_error(describe(summary.error().front()));
    EXPECT_EQ(summary->runs, 105U);
    EXPECT_EQ(summary->turns, 13'674U);
    return read_turn_table(request.output).value();
  }

  // Every number of the paper beside the same from the imported turns.
  std::vector<CheckedCell> check(bool with_unknown_turns) {
    return check_paper({imported(with_unknown_turns)}, values_).value().cells;
  }

  const PaperValues values_ = read_paper_values(source("results/paper")).value();

  TestFolder folder_;
};

// "1,H100,Gemini 3.1 Pro,GEMM,4,target_instruction", for each number that is not the paper's.
std::set<std::string> different(const std::vector<CheckedCell>& cells) {
  std::set<std::string> places;
  for (const CheckedCell& cell : cells) {
    if (cell.state == CheckedCell::State::kMatches) continue;
    EXPECT_EQ(cell.state, CheckedCell::State::kDiffers);
    EXPECT_EQ(cell.cause, CheckedCell::Cause::kKnown);
    EXPECT_EQ(cell.paper.metric, PaperMetric::kTurnCorrectness);
    const PaperCell& paper = cell.paper;
    places.insert(std::to_string(paper.table) + "," + paper.device + "," + paper.row + "," +
                  paper.problem + "," + std::to_string(paper.turns) + "," +
                  (paper.with_target ? "target_instruction" : "unrestricted"));
  }
  return places;
}

// Turns whose dynamic state is not published.
const std::set<std::string> kNotPublished = {
    "4,H100,Qwen3.6-27B + retrieved repair notes and fixed kernel,MHA-Bwd,8,target_instruction",
    "4,H100,Qwen3.6-27B + retrieved repair notes and fixed kernel,MHA-Bwd-Causal,4,"
    "target_instruction",
    "4,H100,Qwen3.6-27B + retrieved repair notes and fixed kernel,MHA-Bwd-Causal,8,"
    "target_instruction"};

// Turns whose dynamic state was unknown, which the turns alone do not tell.
const std::set<std::string> kUnknown = {
    "1,H100,Gemini 3.1 Pro,GEMM,4,target_instruction",
    "1,H100,Gemini 3.1 Pro,GEMM,8,target_instruction",
    "4,H100,Qwen3.6-27B-s1,MHA-Bwd-Causal,8,target_instruction",
    "8,H100,Qwen3.6-27B-s1,MHA-Bwd-Causal,8,target_instruction"};

TEST_F(Published, the_turns_give_1073_of_the_papers_1080_numbers_to_the_last_digit) {
  const auto cells = check(false);
  EXPECT_EQ(cells.size(), 1080U);
  std::set<std::string> expected = kNotPublished;
  expected.insert(kUnknown.begin(), kUnknown.end());
  EXPECT_EQ(different(cells), expected);
}

TEST_F(Published, with_the_unknown_turns_marked_they_give_1077) {
  EXPECT_EQ(different(check(true)), kNotPublished);
}

TEST_F(Published, every_number_of_the_paper_comes_from_12_trajectories) {
  const std::vector<TurnTable> tables = {imported(false)};
  const std::vector<PublishedExperiment> selections = {paper_selection(tables.front()).value()};
  for (const std::int32_t number : numeric_paper_tables(values_)) {
    const PaperGrouping grouping =
        group_for_paper(tables, selections, paper_layout(values_, number));
    for (const std::uint32_t condition : grouping.shown) {
      EXPECT_EQ(grouping.conditions.list[condition].trajectories, 12);
    }
  }
}

TEST_F(Published, the_paper_s_values_that_are_shipped_are_the_published_ones) {
  std::string text = read_text(published("paper_cells.csv")).value();
  std::erase(text, '\r');
  EXPECT_EQ(read_text(source("results/paper/cells.csv")).value(), text);
}

}  // namespace
}  // namespace ptxbatch
