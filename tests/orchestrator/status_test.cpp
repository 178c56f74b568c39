// What `ptxbatch status` shows of a run, and the file through which a running one shows itself.
#include "orchestrator/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::Lt;

LiveStatus live_with(int ranks) {
  LiveStatus live;
  live.updated_at_s = 1'800'000'000;
  live.started_at_s = 1'799'999'000.5;
  live.left_s = 90;
  live.totals.trajectories = 12;
  live.totals.turns = 57;
  live.totals.labels[0] = 20;
  live.models = {{"qwen", 3, 2}};
  for (int i = 1; i <= ranks; ++i) {
    live.ranks.push_back({i, "n" + std::to_string(i), "working", 4, 2, 1, 1, 0.63});
  }
  return live;
}

RunStatus running(const LiveStatus& live) {
  RunStatus status;
  status.results_path = "out.h5";
  status.experiment = "small";
  status.state = RunStatus::State::kRunning;
  status.holder = "process 1 on n0";
  status.totals = live.totals;
  status.live = live;
  return status;
}

TEST(LiveStatus, ComesBackFromItsFileAsItWas) {
  const TestFolder folder;
  const std::string results = folder.file("out.h5");
  const LiveStatus written = live_with(2);
  ASSERT_TRUE(write_live_status(results, written));
  const auto read = read_live_status(results);
  ASSERT_TRUE(read);
  EXPECT_EQ(live_status_json(*read), live_status_json(written));
  EXPECT_EQ(read->totals, written.totals);
  EXPECT_EQ(read->left_s, 90);
  EXPECT_FALSE(read->deadline_at_s);
  EXPECT_EQ(read->ranks.at(1).host, "n2");
  remove_live_status(results);
  EXPECT_FALSE(read_live_status(results));
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(results).parent_path()));
}

TEST(LiveStatus, OfAnotherProgramsMakingIsNone) {
  EXPECT_FALSE(parse_live_status("{}"));
  EXPECT_FALSE(parse_live_status("not JSON"));
  EXPECT_FALSE(parse_live_status(""));
}

TEST(StatusText, FitsIntoTheLinesThereAreAndShowsTheSickFirst) {
  LiveStatus live = live_with(100);
  live.ranks[70].state = "given up";
  const std::string text = status_text(running(live), 20);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20);
  EXPECT_THAT(text, HasSubstr("100 ranks: 1 given up, 99 working"));
  EXPECT_THAT(text.find("n71"), Lt(text.find("n1 ")));
  EXPECT_THAT(text, HasSubstr("more\n"));
  EXPECT_THAT(status_text(running(live)), HasSubstr("n100"));
}

TEST(StatusText, TellsTimeLeftAndCallsThatWait) {
  const std::string text = status_text(running(live_with(1)));
  EXPECT_THAT(text, HasSubstr("about 90 s left"));
  EXPECT_THAT(text, HasSubstr("qwen: 3 sent, 2 wait for leave"));
  EXPECT_THAT(text, HasSubstr("63 %"));
}

TEST(StatusText, OfARunThatIsNotGoingOnHasNoRanks) {
  RunStatus status = running(live_with(1));
  status.state = RunStatus::State::kDead;
  status.live.reset();
  EXPECT_THAT(status_text(status), HasSubstr("the same command goes on from here"));
  EXPECT_TRUE(nlohmann::json::parse(status_json(status)).at("live").is_null());
}

TEST(StatusJson, HasItsDocumentedFields) {
  const auto document = nlohmann::json::parse(status_json(running(live_with(3))));
  EXPECT_EQ(document.at("state"), "running");
  EXPECT_EQ(document.at("trajectories").at("planned"), 12);
  EXPECT_EQ(document.at("labels").at("Correct"), 20);
  EXPECT_EQ(document.at("labels").size(), static_cast<std::size_t>(kLabelCount));
  EXPECT_EQ(document.at("live").at("model_calls_out"), 6);
  EXPECT_EQ(document.at("live").at("ranks").size(), 3U);
  EXPECT_EQ(document.at("live").at("deadline_at_s"), nullptr);
  const std::string line = status_json(running(live_with(3)), true);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

}  // namespace
}  // namespace ptxbatch
