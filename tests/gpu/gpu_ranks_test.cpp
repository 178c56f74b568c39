// One rank a GPU, as a user starts them: the Hopper quickstart by one rank and by one on each GPU.
// Prints how many evaluations an hour either made; docs/performance.md has what was seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "common/clock.h"
#include "common/file_system.h"
#include "ranks/visible_gpus.h"
#include "results/results_file.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kCopies = 2;
constexpr double kRunTimeoutS = 1200;
const std::string kQuickstart = "experiments/quickstart_h100.toml";
const std::string kReplies = "experiments/recorded/quickstart_h100";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  if (at == std::string::npos) throw std::runtime_error("there is no " + what);
  return text.replace(at, what.size(), with);
}

std::string read(const std::string& path) {
  const auto text = read_text(path);
  if (!text) throw std::runtime_error(describe(text.error()));
  return *text;
}

// A comment of its own in every copy: a source that was judged before is not judged again.
void copy_reply(const fs::path& from, const fs::path& to, int copy) {
  const std::string text = read(from.string());
  const std::string fence = "```cpp\n";
  const auto at = text.find(fence);
  const std::string marked =
      at == std::string::npos
          ? text
          : std::string(text).insert(at + fence.size(), "// " + std::to_string(copy) + "\n");
  if (!write_text(to.string(), marked)) throw std::runtime_error("cannot write " + to.string());
}

// Trajectory exp_NNN of the quickstart is that of its prompt NNN; here each prompt has kCopies.
void copy_trajectory(const fs::path& from, const fs::path& definition) {
  const int prompt = std::stoi(from.filename().string().substr(4));
  for (int copy = 0; copy < kCopies; ++copy) {
    char name[16];
    std::snprintf(name, sizeof name, "exp_%03d", prompt * kCopies + copy);
    fs::create_directories(definition / name);
    for (const auto& file : fs::directory_iterator(from)) {
      copy_reply(file.path(), definition / name / file.path().filename(), copy);
    }
  }
}

void write_repeated_quickstart(const Workspace& workspace) {
  std::string text = read(source_file(kQuickstart));
  text = replaced(text, "\"problems\"", "\"" + source_file("experiments/problems") + "\"");
  text = replaced(text, "replicas = 1", "replicas = " + std::to_string(kCopies));
  text = replaced(text, "\"recorded/quickstart_h100\"", "\"" + workspace.replies() + "\"");
  workspace.write("experiment.toml", text);
  for (const auto& definition : fs::directory_iterator(source_file(kReplies))) {
    for (const auto& trajectory : fs::directory_iterator(definition)) {
      copy_trajectory(trajectory.path(),
                      fs::path(workspace.replies()) / definition.path().filename());
    }
  }
}

/// By rank, all GPUs that its environments name.
std::map<int, std::set<std::string>> gpus_of_ranks(const std::string& results) {
  std::map<int, std::set<std::string>> gpus;
  const auto read = read_results_file(results, [&](Record&& record) -> Status {
    if (const auto* environment = std::get_if<EnvironmentRecord>(&record)) {
      gpus[environment->rank].insert(environment->device_id);
    }
    return {};
  });
  if (!read) throw std::runtime_error(describe(read.error()));
  return gpus;
}

class GpuRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto gpus = find_visible_gpus();
    if (gpus) gpus_ = static_cast<int>(gpus->size());
    if (gpus_ == 0) GTEST_SKIP() << "no NVIDIA GPU on this machine";
    write_repeated_quickstart(workspace_);
  }

  std::vector<std::string> arguments(const std::string& results) const {
    return {"run", workspace_.experiment(), "-o", workspace_.file(results)};
  }

  /// Runs it, prints its rate, and gives what it recorded.
  RunRecords judged(const ProcessSpec& command, const std::string& results) const {
    const auto start = SteadyClock::now();
    const CommandEnd end = run(command, kRunTimeoutS);
    EXPECT_EQ(end.exit_code, 0) << end.output;
    const double seconds = seconds_since(start);
    RunRecords records = read_run(workspace_.file(results));
    std::printf("%s: %zu turns in %.1f s, %.0f an hour\n", results.c_str(), records.turns.size(),
                seconds, static_cast<double>(records.turns.size()) / seconds * 3600);
    return records;
  }

  Workspace workspace_;
  int gpus_ = 0;
};

TEST_F(GpuRanks, EachOnAGpuOfItsOwnJudgeAsOneDoes) {
  if (gpus_ < 2) GTEST_SKIP() << "one GPU only";
  const RunRecords alone = judged(ptxbatch_command(arguments("one_rank.h5")), "one_rank.h5");
  const RunRecords together =
      judged(mpi_command(gpus_ + 1, arguments("all_ranks.h5")), "all_ranks.h5");
  EXPECT_EQ(differences(alone.judgements, together), "");
  EXPECT_EQ(duplicates(together), "");

  std::map<int, int> turns;
  for (const TurnRecord& turn : together.turns) ++turns[turn.rank];
  EXPECT_EQ(turns.size(), static_cast<std::size_t>(gpus_)) << "every rank has judged";
  std::set<std::string> used;
  for (const auto& [rank, gpus] : gpus_of_ranks(workspace_.file("all_ranks.h5"))) {
    EXPECT_EQ(gpus.size(), 1U) << "rank " << rank;
    EXPECT_TRUE(used.insert(*gpus.begin()).second) << *gpus.begin() << " was used twice";
    std::printf("rank %d: %s, %d turns\n", rank, gpus.begin()->c_str(), turns[rank]);
  }
}

TEST_F(GpuRanks, OneMoreThanThereAreGpusIsRefusedBeforeAnythingIsJudged) {
  const CommandEnd end = run(mpi_command(gpus_ + 2, arguments("out.h5")));
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, HasSubstr("is used by rank"));
  EXPECT_THAT(end.output, HasSubstr("--allow-unfit"));
}

}  // namespace
}  // namespace ptxbatch
