// What a user can get wrong: each mistake ends with exit code 1, a message that says where and
// what, and nothing lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/file_system.h"
#include "results/journal.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// One trajectory of prose, two turns: a run of it takes no compiler and no time.
SmallExperiment prose_experiment(const Workspace& workspace) {
  SmallExperiment small;
  small.models = recorded_model(workspace.replies());
  small.protocol = "turns = 2\n";
  small.replicas = 1;
  return small;
}

CommandEnd run_in(const Workspace& workspace) {
  return ptxbatch({"run", workspace.experiment(), "-o", workspace.results()});
}

// Both commands that read an experiment file refuse it in the same words, and nothing is begun.
void expect_refused(const Workspace& workspace, const testing::Matcher<std::string>& message) {
  for (const CommandEnd& end : {ptxbatch({"plan", workspace.experiment()}), run_in(workspace)}) {
    EXPECT_EQ(end.exit_code, 1) << end.output;
    EXPECT_THAT(end.output, message);
  }
  EXPECT_FALSE(real_file_system().exists(workspace.results()));
  EXPECT_FALSE(real_file_system().exists(workspace.results() + ".journal"));
  EXPECT_FALSE(real_file_system().exists(workspace.results() + ".lock"));
}

long files_in(const Workspace& workspace) {
  const std::filesystem::directory_iterator entries(workspace.file(""));
  return std::distance(begin(entries), end(entries));
}

// Whether a rank is at work: its environment stands in the journal.
bool has_begun(const std::string& results) {
  bool begun = false;
  const auto look = [&](Record&& record) -> Status {
    begun = begun || std::holds_alternative<EnvironmentRecord>(record);
    return {};
  };
  return read_journal(results + ".journal", look) && begun;
}

// "FILE:LINE:", where the first line with `text` is.
std::string place(const Workspace& workspace, const std::string& text) {
  const std::string contents = read_text(workspace.experiment()).value();
  const auto at = contents.find(text);
  const auto lines = std::count(contents.begin(), contents.begin() + static_cast<long>(at), '\n');
  return workspace.experiment() + ":" + std::to_string(lines + 1) + ":";
}

TEST(BadInput, an_experiment_file_that_is_not_there_is_named) {
  const Workspace workspace;
  expect_refused(workspace, AllOf(HasSubstr(workspace.experiment()), HasSubstr("No such file")));
}

TEST(BadInput, a_folder_in_place_of_an_experiment_file_is_refused) {
  const Workspace workspace;
  workspace.write("experiment.toml/file", "");
  expect_refused(workspace, HasSubstr(workspace.experiment()));
}

TEST(BadInput, a_toml_mistake_is_shown_with_file_and_line) {
  const Workspace workspace;
  SmallExperiment small = prose_experiment(workspace);
  small.rest = "[budgets]\nevaluate_s = three\n";
  workspace.write(small);
  expect_refused(workspace, HasSubstr(place(workspace, "evaluate_s")));
}

TEST(BadInput, an_unknown_key_is_shown_with_file_line_and_name) {
  const Workspace workspace;
  SmallExperiment small = prose_experiment(workspace);
  small.protocol = "turn = 2\n";
  workspace.write(small);
  expect_refused(workspace,
                 AllOf(HasSubstr(place(workspace, "turn = 2")), HasSubstr("protocol.turn")));
}

TEST(BadInput, a_value_out_of_range_is_shown_with_file_line_and_key) {
  const Workspace workspace;
  SmallExperiment small = prose_experiment(workspace);
  small.protocol = "turns = 0\n";
  workspace.write(small);
  expect_refused(workspace,
                 AllOf(HasSubstr(place(workspace, "turns = 0")), HasSubstr("protocol.turns")));
}

TEST(BadInput, every_mistake_of_a_file_is_shown_at_once) {
  const Workspace workspace;
  SmallExperiment small = prose_experiment(workspace);
  small.protocol = "turns = \"two\"\nwarmup = 1\n";
  small.rest = "[budgets]\nevaluate_s = -1\n";
  workspace.write(small);
  expect_refused(workspace, AllOf(HasSubstr("protocol.turns"), HasSubstr("protocol.warmup"),
                                  HasSubstr("budgets.evaluate_s")));
}

TEST(BadInput, a_missing_reply_file_is_named) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  SmallExperiment small = prose_experiment(workspace);
  small.replicas = 2;  // exp_001 has none
  workspace.write(small);
  expect_refused(workspace,
                 HasSubstr(workspace.replies() + "/gemm_f32_n192_k160/exp_001/turn_0.md"));
}

TEST(BadInput, an_unknown_op_type_is_refused_with_those_that_are_known) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  const std::string shipped = source_file("experiments/problems");
  std::string definition = read_text(shipped + "/definitions/gemm/gemm_f32_n192_k160.json").value();
  const std::string known = R"("op_type": "gemm")";
  ASSERT_NE(definition.find(known), std::string::npos);
  definition.replace(definition.find(known), known.size(), R"("op_type": "convolution")");
  workspace.write("problems/definitions/convolution/gemm_f32_n192_k160.json", definition);
  workspace.write("problems/workloads/convolution/gemm_f32_n192_k160.jsonl",
                  read_text(shipped + "/workloads/gemm/gemm_f32_n192_k160.jsonl").value());
  SmallExperiment small = prose_experiment(workspace);
  small.problems = workspace.file("problems");
  workspace.write(small);
  expect_refused(workspace,
                 AllOf(HasSubstr("convolution"), HasSubstr("gemm"), HasSubstr("mha_fwd")));
}

TEST(BadInput, a_missing_compiler_is_named_and_is_no_fault_of_a_candidate) {
  const Workspace workspace;
  SmallExperiment small;
  small.target = "compiler = \"/nonexistent/g++\"\n";
  small.replicas = 1;
  workspace.write(small);
  const CommandEnd end = run_in(workspace);
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, HasSubstr("/nonexistent/g++"));
  EXPECT_EQ(turns_in_journal(workspace.results()), 0);
}

TEST(BadInput, the_output_of_another_experiment_is_left_alone_and_the_difference_shown) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  SmallExperiment small = prose_experiment(workspace);
  workspace.write(small);
  ASSERT_EQ(run_in(workspace).exit_code, 0);
  const std::string before = read_text(workspace.results()).value();

  small.protocol = "turns = 1\n";
  workspace.write(small);
  const CommandEnd end = run_in(workspace);
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, AllOf(HasSubstr(workspace.results()), HasSubstr("- turns = 2"),
                                HasSubstr("+ turns = 1")));
  EXPECT_EQ(read_text(workspace.results()).value(), before);
}

TEST(BadInput, a_second_writer_is_refused_and_does_not_disturb_the_first) {
  const Workspace workspace;
  SmallExperiment small;
  small.models = recorded_model(quickstart_replies(), 1000);  // stays at its first reply
  workspace.write(small);
  JournalWatch watch(workspace.results());
  ChildProcess first =
      start(ptxbatch_command({"run", workspace.experiment(), "-o", workspace.results()}));
  ASSERT_TRUE(watch.wait_until(first, [&] { return has_begun(workspace.results()); }));

  const CommandEnd second = run_in(workspace);
  EXPECT_EQ(second.exit_code, 1) << second.output;
  EXPECT_THAT(second.output, HasSubstr("process " + std::to_string(first.pid())));

  ASSERT_EQ(::kill(first.pid(), SIGTERM), 0);
  ASSERT_EQ(::kill(first.pid(), SIGTERM), 0);
  EXPECT_EQ(finish(first).exit_code, 75) << first.output();
}

TEST(BadInput, a_limit_that_is_none_is_refused_in_few_words) {
  const Workspace workspace;
  workspace.write("experiment.toml", "");
  const std::vector<std::pair<std::string, std::string>> options = {
      {"--max-tokens", "0"},     {"--max-tokens", "99999999999999999999"},
      {"--max-tokens", "1e6"},   {"--max-cost-usd", "0"},
      {"--max-cost-usd", "nan"}, {"--max-cost-usd", "inf"}};
  for (const auto& [option, value] : options) {
    const CommandEnd end =
        ptxbatch({"run", workspace.experiment(), "-o", workspace.results(), option, value});
    EXPECT_EQ(end.exit_code, 1) << option << " " << value;
    EXPECT_THAT(end.output, AllOf(HasSubstr("ptxbatch: run: " + option), HasSubstr(value)));
    EXPECT_LT(end.output.size(), 200U) << end.output;
  }
}

TEST(BadInput, a_mistyped_word_is_answered_with_the_nearest_one) {
  const CommandEnd command = ptxbatch({"runn", "x.toml"});
  EXPECT_EQ(command.exit_code, 1);
  EXPECT_THAT(command.output, AllOf(HasSubstr("ptxbatch: there is no command 'runn'"),
                                    HasSubstr("Did you mean run?"), HasSubstr("ptxbatch --help")));
  const CommandEnd option = ptxbatch({"run", "x.toml", "-o", "x.h5", "--max-token=5"});
  EXPECT_EQ(option.exit_code, 1);
  EXPECT_THAT(option.output,
              AllOf(HasSubstr("ptxbatch: run: there is no option --max-token\n"),
                    HasSubstr("Did you mean --max-tokens?"), HasSubstr("ptxbatch run --help")));
  EXPECT_EQ(ptxbatch({"--help"}).exit_code, 0);
  EXPECT_EQ(ptxbatch({"run", "--help"}).exit_code, 0);
}

TEST(BadInput, a_home_that_is_none_is_named) {
  ProcessSpec plan = ptxbatch_command({"plan", source_file("experiments/quickstart.toml")});
  plan.environment.emplace_back("PTXBATCH_HOME=/nope");
  const CommandEnd end = run(plan);
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, HasSubstr("$PTXBATCH_HOME is '/nope'"));
}

TEST(BadInput, no_ranks_at_all_is_a_mistake_in_use) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  workspace.write(prose_experiment(workspace));
  const CommandEnd end =
      ptxbatch({"run", workspace.experiment(), "-o", workspace.results(), "--ranks", "0"});
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, HasSubstr("--ranks"));
  EXPECT_FALSE(real_file_system().exists(workspace.results() + ".journal"));
}

TEST(BadInput, more_ranks_than_trajectories_is_said_and_runs) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  workspace.write(prose_experiment(workspace));
  const CommandEnd end =
      run(mpi_command(4, {"run", workspace.experiment(), "-o", workspace.results(),
                          "--allow-unfit"}));  // machines of two cores
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("3 ranks for 1 trajectories"));
  EXPECT_EQ(read_run(workspace.results()).turns.size(), 2U);
}

TEST(BadInput, one_mpi_process_works_alone) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  workspace.write(prose_experiment(workspace));
  const CommandEnd end =
      run(mpi_command(1, {"run", workspace.experiment(), "-o", workspace.results()}));
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(read_run(workspace.results()).turns.size(), 2U);
}

TEST(BadInput, a_mistake_found_under_mpirun_ends_all_ranks_with_1) {
  const Workspace workspace;
  workspace.write("experiment.toml", "name = \"x\"\n");
  const CommandEnd end =
      run(mpi_command(3, {"run", workspace.experiment(), "-o", workspace.results()}));
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, HasSubstr(workspace.experiment()));
}

TEST(BadInput, a_file_that_is_no_results_file_is_refused_by_all_readers) {
  const Workspace workspace;
  workspace.write("out.h5", "not HDF5");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tables", workspace.results()},
        {"figures", workspace.results(), "-o", workspace.file("figures")},
        {"status", workspace.results()}}) {
    const CommandEnd end = ptxbatch(command);
    EXPECT_EQ(end.exit_code, 1) << end.output;
    EXPECT_THAT(end.output, HasSubstr(workspace.results()));
  }
}

TEST(BadInput, an_output_that_is_no_file_of_its_own_is_refused_first_of_all) {
  const Workspace workspace;
  workspace.write("experiment.toml", "not looked at");
  for (const std::string& output :
       {std::string(), workspace.file("new/"),
        std::filesystem::path(workspace.results()).parent_path().string(),
        workspace.experiment()}) {
    const CommandEnd end = ptxbatch({"run", workspace.experiment(), "-o", output});
    EXPECT_EQ(end.exit_code, 1) << output;
    EXPECT_THAT(end.output, HasSubstr("after -o")) << output;
  }
  const CommandEnd log = ptxbatch({"run", workspace.experiment(), "-o", workspace.results(),
                                   "--log", workspace.results() + ".journal"});
  EXPECT_EQ(log.exit_code, 1);
  EXPECT_THAT(log.output, HasSubstr("--log"));
  EXPECT_EQ(read_text(workspace.experiment()).value(), "not looked at");
  EXPECT_EQ(files_in(workspace), 1);
}

TEST(BadInput, a_mistyped_experiment_leaves_nothing) {
  const Workspace workspace;
  workspace.write("experiment.toml", "");
  const CommandEnd end =
      ptxbatch({"run", workspace.file("experment.toml"), "-o", workspace.file("new/out.h5")});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(files_in(workspace), 1);
}

TEST(BadInput, an_output_folder_that_is_not_there_is_made) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  workspace.write(prose_experiment(workspace));
  const CommandEnd end =
      ptxbatch({"run", workspace.experiment(), "-o", workspace.file("a/b/out.h5"), "--log",
                workspace.file("logs/run.log")});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(read_run(workspace.file("a/b/out.h5")).turns.size(), 2U);
  EXPECT_TRUE(real_file_system().exists(workspace.file("logs/run.log")));
}

TEST(BadInput, an_output_folder_that_cannot_be_made_is_named) {
  const Workspace workspace;
  add_prose_replies(workspace, 1, 2);
  workspace.write(prose_experiment(workspace));
  workspace.write("file", "in the way of a folder");
  const CommandEnd end =
      ptxbatch({"run", workspace.experiment(), "-o", workspace.file("file/out.h5")});
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, HasSubstr(workspace.file("file")));
}

}  // namespace
}  // namespace ptxbatch
