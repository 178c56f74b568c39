// Notes from one run's repairs to another's feedback, with the real program: run, export, run again
// with the corpus, stop in the middle, go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "common/file_system.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;

// A candidate that does not compile, then one that is right; the second replies say why.
void add_replies(const Workspace& workspace, const std::string& broken) {
  const std::string right =
      read_text(quickstart_replies() + "/gemm_f32_n192_k160/exp_000/turn_1.md").value();
  workspace.add_reply(0, 0,
                      "```cpp\n" + broken + "\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);\n```\n");
  workspace.add_reply(0, 1, "The function that is exported did not exist.\n\n" + right);
}

SmallExperiment experiment_of(const Workspace& workspace, const std::string& rest) {
  SmallExperiment small;
  small.models = recorded_model(workspace.replies());
  small.replicas = 1;
  small.protocol = "turns = 2\nwarmups = 1\niterations = 5\npair_blocks = 1\n";
  small.rest = rest;
  return small;
}

const std::string kVariants = R"([[variants]]
name = "{model}"
[[variants]]
name = "{model} + retrieved repair notes"
repair_notes = { corpus = "notes.jsonl", fixed_kernel = true }
)";

std::string given(const Workspace& workspace, const std::string& trajectory) {
  return ptxbatch({"show", "--prompt", workspace.results(), trajectory, "1", "--json"}).output;
}

TEST(RepairNotes, OfOneRunReachTheNextOnesFeedbackAndNoCorrectTurns) {
  const Workspace first;
  add_replies(first, "int broken_kernel = tile_bytes");
  first.write(experiment_of(first, ""));
  ASSERT_EQ(ptxbatch({"run", first.experiment(), "-o", first.results()}).exit_code, 0);

  const Workspace second;
  const CommandEnd exported =
      ptxbatch({"export", "notes", first.results(), "-o", second.file("notes.jsonl")});
  ASSERT_EQ(exported.exit_code, 0) << exported.output;
  EXPECT_THAT(exported.output, HasSubstr("1 repair\n"));
  const auto record = nlohmann::json::parse(read_text(second.file("notes.jsonl")).value());
  EXPECT_EQ(record["label"], "Compilation error");
  EXPECT_THAT(record["notes"][0].get<std::string>(), HasSubstr("did not exist"));

  add_replies(second, "int other = tile_bytes + 1");
  second.write(experiment_of(second, kVariants));
  const CommandEnd plan = ptxbatch({"plan", second.experiment()});
  EXPECT_THAT(plan.output, HasSubstr("GEMM on host: 1"));
  ASSERT_EQ(ptxbatch({"run", second.experiment(), "-o", second.results()}).exit_code, 0);
  EXPECT_THAT(given(second, "0"), Not(HasSubstr("Repairs of similar kernels")));
  const std::string with = given(second, "1");
  EXPECT_THAT(with, HasSubstr("does not compile"));
  EXPECT_THAT(with, HasSubstr("# Repairs of similar kernels"));
  EXPECT_THAT(with, HasSubstr("- The function that is exported did not exist."));
  EXPECT_THAT(with, HasSubstr("This is how it was put right (speedup "));
  const CommandEnd correct = ptxbatch({"show", second.results(), "1", "1"});
  EXPECT_THAT(correct.output, HasSubstr("Correct."));
  EXPECT_THAT(correct.output, Not(HasSubstr("Repairs of similar kernels")));
}

// The feedback is in the journal: what becomes of the corpus in between makes no difference.
TEST(RepairNotes, AResumedRunGoesOnWithTheSameMessages) {
  const Workspace workspace;
  const auto write_corpus = [&](const std::string& note) {
    const nlohmann::json record = {{"schema", 1},
                                   {"target", "host"},
                                   {"definition", "gemm_f32_n192_k160"},
                                   {"failed_kernel", "int broken_kernel = tile_bytes"},
                                   {"notes", {note}},
                                   {"fixed_kernel", "fixed"}};
    workspace.write("notes.jsonl", record.dump() + "\n");
  };
  const auto answer_after = [&](const std::string& seconds) {
    workspace.write("replies/gemm_f32_n192_k160/exp_000/turn_1.json",
                    "{\"latency_s\": " + seconds + "}");
  };
  write_corpus("As it was before.");
  add_replies(workspace, "int broken_kernel = tile_bytes");
  answer_after("1000");
  SmallExperiment small = experiment_of(workspace, kVariants);
  small.models = recorded_model(workspace.replies(), 1);
  workspace.write(small);
  const ProcessSpec command =
      ptxbatch_command({"run", workspace.experiment(), "-o", workspace.results()});
  JournalWatch watch(workspace.results());
  ChildProcess stopped = start(command);
  ASSERT_TRUE(watch.wait_for_turns(stopped, 2)) << finish(stopped, 1).output;
  ASSERT_EQ(::kill(stopped.pid(), SIGUSR1), 0);
  ASSERT_EQ(finish(stopped).exit_code, 75);

  write_corpus("Changed since.");
  answer_after("0");
  const CommandEnd resumed = run(command);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("Resuming"));
  EXPECT_THAT(given(workspace, "1"), HasSubstr("- As it was before."));
}

TEST(RepairNotes, ResultsWithoutARepairMakeNoCorpus) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  workspace.write(experiment_of(workspace, ""));
  ASSERT_EQ(ptxbatch({"run", workspace.experiment(), "-o", workspace.results()}).exit_code, 0);
  const CommandEnd end = ptxbatch({"export", "notes", workspace.results()});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, HasSubstr("these results have no repair"));
}

}  // namespace
}  // namespace ptxbatch
