#include "analysis/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/process.h"
#include "tests/analysis/run_on_disk.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)
using nlohmann::json;

std::vector<RunRecords> records_of(const SmallRun& run) {
  const TestFolder folder;
  run.write(folder.file("run.h5"));
  auto read = read_run(folder.file("run.h5"));
  EXPECT_TRUE(read.has_value()) << describe(read.error());
  read->path = "run.h5";
  return {std::move(*read)};
}

TEST(ExportTurns, HasAColumnForEachShortFieldAndARowATurn) {
  const std::string csv = export_turns_csv(records_of({}));
  EXPECT_THAT(csv, StartsWith("file,experiment,index,id,model,target,problem,definition,workload,"
                              "prompt_tag,prompt_block,replica,turn,label,cause,source_sha256,"));
  EXPECT_THAT(csv, HasSubstr(",generate_s,compile_s,"));
  EXPECT_THAT(csv, HasSubstr(",reply_completion_tokens,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_THAT(csv, HasSubstr("run.h5,small,0,exp_000,m/1,host,GEMM,"));
  EXPECT_THAT(csv, HasSubstr(",1,Correct,correct,"));
}

TEST(ExportChats, HoldsTheMessagesThatTheModelHad) {
  const std::string lines = export_chats(records_of({}));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
  const json line = json::parse(lines);
  const json& messages = line["messages"];
  ASSERT_THAT(messages, SizeIs(5));  // system, user, assistant, user, assistant
  EXPECT_EQ(messages[0]["role"], "system");
  EXPECT_EQ(messages[2]["role"], "assistant");
  EXPECT_EQ(messages[2]["reasoning_content"], "Let me think.");
  EXPECT_EQ(messages[3]["content"], "error: expected");
  EXPECT_THAT(messages[4]["content"].get<std::string>(), HasSubstr("void run() {}"));
  EXPECT_EQ(line["turns"][1]["label"], "Correct");
  EXPECT_EQ(line["end"], "turns done");
}

TEST(ExportChats, ReplaceBytesThatAreNotUtf8) {
  SmallRun run;
  run.replies[0].text = "bad \xff byte";
  const json line = json::parse(export_chats(records_of(run)));
  EXPECT_EQ(line["messages"][2]["content"], "bad \uFFFD byte");
}

const ExportedFile* find_file(const std::vector<ExportedFile>& files, const std::string& part) {
  for (const ExportedFile& file : files) {
    if (file.path.find(part) != std::string::npos) return &file;
  }
  return nullptr;
}

TEST(ExportFlashInferTrace, HasTheCorrectCandidateWithItsTrace) {
  const auto files = export_flashinfer_trace(records_of({}), PROBLEMS_FOLDER);
  ASSERT_TRUE(files.has_value()) << describe(files.error());
  ASSERT_THAT(*files, SizeIs(4));
  const ExportedFile* solution = find_file(*files, "solutions/m_1/gemm/gemm_f32_n192_k160/");
  ASSERT_NE(solution, nullptr);
  const json parsed = json::parse(solution->contents);
  EXPECT_EQ(parsed["spec"]["entry_point"], "kernel.cpp::run");
  EXPECT_EQ(parsed["sources"][0]["content"], "void run() {}");
  const ExportedFile* traces = find_file(*files, "traces/gemm/gemm_f32_n192_k160.jsonl");
  ASSERT_NE(traces, nullptr);
  const json trace = json::parse(traces->contents);
  EXPECT_EQ(trace["solution"], parsed["name"]);
  EXPECT_EQ(trace["workload"]["uuid"], "7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41");
  EXPECT_EQ(trace["evaluation"]["performance"]["speedup_factor"], 0.5);
  EXPECT_EQ(trace["evaluation"]["environment"]["libs"]["g++"], "12.2.0");
}

TEST(ExportFlashInferTrace, ACandidateThatComesTwiceIsOneSolution) {
  SmallRun run;
  run.replies.push_back(run.replies.back());
  run.replies.back().turn = 2;
  run.turns.push_back(run.turns.back());
  run.turns.back().turn = 2;
  const auto files = export_flashinfer_trace(records_of(run), PROBLEMS_FOLDER);
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, SizeIs(4));
}

TEST(ExportFlashInferTrace, ADefinitionThatIsNotThereIsNamed) {
  SmallRun run;
  run.experiment.trajectories[0].definition = "nowhere";
  const auto files = export_flashinfer_trace(records_of(run), PROBLEMS_FOLDER);
  ASSERT_FALSE(files.has_value());
  EXPECT_THAT(files.error().what, HasSubstr("'nowhere'"));
  EXPECT_THAT(files.error().hint, HasSubstr("--problems"));
}

TEST(ExportFlashInferTrace, WithoutACorrectTurnThereIsNothing) {
  SmallRun run;
  run.turns.back().label = Label::kRuntimeError;
  const auto files = export_flashinfer_trace(records_of(run), PROBLEMS_FOLDER);
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, SizeIs(0));
}

// PTXBATCH_FLASHINFER_PYTHON: a Python that has flashinfer-bench and pydantic.
TEST(ExportFlashInferTrace, FlashInferBenchAcceptsIt) {
  const char* named = std::getenv("PTXBATCH_FLASHINFER_PYTHON");
  const auto python = find_program(named != nullptr ? named : "python3");
  if (!python) GTEST_SKIP() << "python3 is not installed";
  const auto files = export_flashinfer_trace(records_of({}), PROBLEMS_FOLDER);
  ASSERT_TRUE(files.has_value());
  const TestFolder folder;
  for (const ExportedFile& file : *files) {
    const std::string path = folder.file(file.path);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    ASSERT_TRUE(write_text(path, file.contents).has_value());
  }
  ProcessSpec spec;
  spec.argv = {*python, CHECK_SCRIPT, folder.file("")};
  spec.environment = tool_environment();
  const auto checked = run_process(spec, 60);
  ASSERT_TRUE(checked.has_value()) << describe(checked.error());
  if (checked->end.exit_code == 77) GTEST_SKIP() << checked->output;
  EXPECT_TRUE(checked->end.ok()) << checked->output;
  EXPECT_EQ(checked->output, "1 1 1\n");
}

}  // namespace
}  // namespace ptxbatch
