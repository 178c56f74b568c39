// The results file as others see it: h5py by SCHEMA.md alone, h5dump, and SCHEMA.md itself.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/process.h"
#include "results/enum_names.h"
#include "results/results_file.h"
#include "results/schema.h"
#include "tests/results/example_records.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using nlohmann::json;

constexpr double kTimeout_s = 50;

Result<ProcessOutput> run(const std::vector<std::string>& argv) {
  ProcessSpec spec;
  spec.argv = argv;
  spec.environment = tool_environment();
  spec.output_cap_bytes = 1U << 22U;
  return run_process(spec, kTimeout_s);
}

/// A Python that has h5py.
std::optional<std::string> find_python() {
  for (const char* name : {"/usr/bin/python3", "python3"}) {
    const auto program = find_program(name);
    if (!program) continue;
    const auto imported = run({*program, "-c", "import h5py"});
    if (imported && imported->end.ok()) return *program;
  }
  return std::nullopt;
}

/// The records of the example as SCHEMA.md lets a reader see them.
json expected_document(const std::vector<Record>& records) {
  const auto& experiment = std::get<ExperimentRecord>(records[0]);
  json trajectories = json::array();
  for (const auto& t : experiment.trajectories) {
    trajectories.push_back({{"index", t.index},
                            {"id", t.id},
                            {"model", t.model},
                            {"target", t.target},
                            {"problem", t.problem},
                            {"definition", t.definition},
                            {"workload", t.workload},
                            {"prompt_tag", t.prompt_tag},
                            {"prompt_block", t.prompt_block},
                            {"replica", t.replica}});
  }
  return {{"attributes",
           {{"program", "ptxbatch"},
            {"schema_version", 1},
            {"experiment", experiment.name},
            {"program_version", experiment.program_version},
            {"git_commit", experiment.git_commit},
            {"started_at_s", experiment.started_at_s},
            {"turns", experiment.turns},
            {"target_speedup", experiment.target_speedup},
            {"complete", true}}},
          {"trajectories", trajectories}};
}

class OtherReadersTest : public testing::Test {
 protected:
  void SetUp() override {
    const Status written =
        write_results_file(real_file_system(), path_, source_of(records_), /*complete=*/true);
    ASSERT_TRUE(written) << describe(written.error());
  }

  TestFolder folder_;
  std::string path_ = folder_.file("run.h5");
  std::vector<Record> records_ = example_records();
};

TEST_F(OtherReadersTest, H5pyReadsEveryFieldAsTheSchemaSays) {
  const auto python = find_python();
  if (!python) GTEST_SKIP() << "no python3 with h5py (Debian: python3-h5py)";
  const auto output = run({*python, PTXBATCH_H5PY_SCRIPT, path_});
  ASSERT_TRUE(output) << describe(output.error());
  ASSERT_TRUE(output->end.ok()) << output->output;
  const json read = json::parse(output->output);

  const json expected = expected_document(records_);
  EXPECT_EQ(read["attributes"], expected["attributes"]);
  EXPECT_EQ(read["trajectories"], expected["trajectories"]);

  ASSERT_EQ(read["records"].size(), records_.size() - 1);
  const json& environment = read["records"][0];
  EXPECT_EQ(environment["type"], "environment");
  EXPECT_EQ(environment["device_name"], "Xeon core 1");
  EXPECT_EQ(environment["driver"], "580.65");
  EXPECT_EQ(environment["libraries"], "OpenBLAS 0.3.21; g++ 12.2.0");

  const json& prompt = read["records"][1];
  EXPECT_EQ(prompt["type"], "prompt");
  EXPECT_EQ(prompt["text"], std::get<PromptRecord>(records_[2]).text);

  const json& reply = read["records"][2];
  EXPECT_EQ(reply["text"], "```cpp\nvoid run();\n```");
  EXPECT_EQ(reply["reasoning"], "Let me think.");
  EXPECT_EQ(reply["end"], "truncated");
  EXPECT_EQ(reply["response_id"], "response-1");
  EXPECT_EQ(reply["prompt_sha256"], prompt["sha256"]);
  EXPECT_EQ(reply["cost_usd"], 0.03125);
  EXPECT_EQ(reply["model_requested"], "model");
  EXPECT_EQ(reply["usage_estimated"], true);
  EXPECT_EQ(reply["reasoning_estimated"], true);

  const auto& turn = std::get<TurnRecord>(records_[4]);
  const json& read_turn = read["records"][3];
  EXPECT_EQ(read_turn["label"], "Correct");
  EXPECT_EQ(read_turn["cause"], "correct");
  EXPECT_EQ(read_turn["target_instruction"], "present");
  EXPECT_EQ(read_turn["speedup"], turn.speedup);
  EXPECT_EQ(read_turn["input_seed"], turn.input_seed);
  EXPECT_EQ(read_turn["source"], turn.source);
  EXPECT_EQ(read_turn["source_sha256"], turn.source_sha256);
  EXPECT_EQ(read_turn["feedback"], turn.feedback);
  EXPECT_EQ(read_turn["compiler_output"], turn.compiler_output);
  EXPECT_EQ(read_turn["queue_s"], turn.stages.queue);
  EXPECT_EQ(read_turn["measurement_reused"], true);
  EXPECT_EQ(read_turn["instructions"][1]["text"], turn.instructions[1].text);
  EXPECT_EQ(read_turn["instructions"][0]["executed"], true);
  EXPECT_EQ(read_turn["timings"][1]["side"], "candidate");
  EXPECT_EQ(read_turn["timings"][1]["samples_ms"], json(turn.timings[1].samples_ms));

  EXPECT_EQ(read["records"][4]["type"], "request");
  EXPECT_EQ(read["records"][4]["attempt"], 1);
  EXPECT_EQ(read["records"][5]["kind"], "keeper_restarted");
  EXPECT_EQ(read["records"][5]["message"], "signal 9");
  EXPECT_EQ(read["records"][6]["end"], "target reached");
}

TEST_F(OtherReadersTest, H5pyReadsAnyBytes) {
  const auto python = find_python();
  if (!python) GTEST_SKIP() << "no python3 with h5py (Debian: python3-h5py)";
  records_ = hard_records();
  SetUp();
  const auto output = run({*python, PTXBATCH_H5PY_SCRIPT, path_});
  ASSERT_TRUE(output) << describe(output.error());
  ASSERT_TRUE(output->end.ok()) << output->output;
  const json read = json::parse(output->output);
  const auto latin1 = [](const std::string& bytes) {
    std::string utf8;
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) {
        utf8 += c;
      } else {
        utf8 += static_cast<char>(0xC0U | (byte >> 6U));
        utf8 += static_cast<char>(0x80U | (byte & 0x3FU));
      }
    }
    return utf8;
  };
  EXPECT_EQ(read["experiment_text"], latin1(std::get<ExperimentRecord>(records_[0]).text));
  EXPECT_EQ(read["records"][0]["kind"], latin1(std::get<EventRecord>(records_[1]).kind));
  EXPECT_EQ(read["records"][2]["text"], latin1(std::get<ReplyRecord>(records_[3]).text));
  EXPECT_EQ(read["records"][3]["cause"], latin1(std::get<TurnRecord>(records_[4]).cause));
}

TEST_F(OtherReadersTest, H5dumpOpensIt) {
  const auto h5dump = find_program("h5dump");
  if (!h5dump) GTEST_SKIP() << "no h5dump (Debian: hdf5-tools)";
  const auto output = run({*h5dump, path_});
  ASSERT_TRUE(output) << describe(output.error());
  EXPECT_TRUE(output->end.ok()) << output->output;
  for (const char* shown : {"DATASET \"turns\"", "Kernel Execution Timeout", "exp_002"}) {
    EXPECT_NE(output->output.find(shown), std::string::npos) << shown;
  }
}

/// Names of a row type's columns.
class ColumnNames {
 public:
  template <class T>
  void operator()(const char* name, const T& /*value*/) {
    names.emplace_back(name);
  }
  std::vector<std::string> names;
};

template <class Row>
std::vector<std::string> columns_of() {
  ColumnNames visitor;
  Row row;
  visit_columns(visitor, row);
  return visitor.names;
}

/// The part of SCHEMA.md under the heading that names the table.
std::string section(const std::string& document, const std::string& table) {
  const std::size_t start = document.find("\n## `/" + table + "`");
  if (start == std::string::npos) return "";
  return document.substr(start, document.find("\n## ", start + 1) - start);
}

TEST(SchemaDocument, NamesEveryColumnOfEveryTable) {
  const std::string document = read_text(PTXBATCH_SCHEMA_DOCUMENT).value();
  const std::vector<std::pair<const char*, std::vector<std::string>>> tables = {
      {schema::kTrajectories, columns_of<PlannedTrajectory>()},
      {schema::kTurns, columns_of<TurnRow>()},
      {schema::kTurnDetails, columns_of<TurnDetailRow>()},
      {schema::kInstructions, columns_of<InstructionRow>()},
      {schema::kTimings, columns_of<TimingRow>()},
      {schema::kRequests, columns_of<RequestRow>()},
      {schema::kReplies, columns_of<ReplyRow>()},
      {schema::kPrompts, columns_of<PromptRow>()},
      {schema::kEnvironment, columns_of<EnvironmentRow>()},
      {schema::kEvents, columns_of<EventRow>()},
      {schema::kTrajectoryEnds, columns_of<TrajectoryEndRow>()},
      {schema::kCauses, columns_of<CauseRow>()},
      {schema::kTexts, columns_of<TextRow>()}};
  for (const auto& [table, columns] : tables) {
    const std::string text = section(document, table);
    ASSERT_FALSE(text.empty()) << table;
    for (const std::string& column : columns) {
      const bool named = text.find("| " + column + " ") != std::string::npos ||
                         text.find("| " + column + ",") != std::string::npos ||
                         text.find(", " + column + " ") != std::string::npos ||
                         text.find(", " + column + ",") != std::string::npos;
      EXPECT_TRUE(named) << table << "." << column;
    }
  }
}

template <class Enum>
void expect_numbered_names(const std::string& text) {
  const auto& names = EnumNames<Enum>::kNames;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string entry = std::to_string(i) + " `" + std::string(names[i]) + "`";
    EXPECT_NE(text.find(entry), std::string::npos) << entry;
  }
}

TEST(SchemaDocument, NumbersEveryEnumeration) {
  const std::string document = read_text(PTXBATCH_SCHEMA_DOCUMENT).value();
  expect_numbered_names<Label>(section(document, schema::kTurns));
  expect_numbered_names<TargetInstruction>(section(document, schema::kTurns));
  expect_numbered_names<TimingRecord::Side>(section(document, schema::kTimings));
  expect_numbered_names<ReplyEnd>(section(document, schema::kReplies));
  expect_numbered_names<TrajectoryEnd>(section(document, schema::kTrajectoryEnds));
}

}  // namespace
}  // namespace ptxbatch
