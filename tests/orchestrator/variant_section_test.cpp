// Variants: each model once as each, rows named after both, and every mistake with its place.
#include "orchestrator/variant_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file_system.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/plan.h"
#include "ranks/prompt/repair_notes.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTwoModels = R"(name = "small"
[[models]]
name = "A"
replies = "replies"
[[models]]
name = "B"
replies = "replies"
[[targets]]
name = "host"
[[problems]]
name = "GEMM"
definition = "gemm_f32_n192_k160"
workload = "7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41"
)";

Error only_error(const std::string& variants) {
  auto experiment = parse_experiment(kTwoModels + variants, "folder/small.toml");
  if (experiment || experiment.error().size() != 1) {
    ADD_FAILURE() << "not one error";
    return {};
  }
  return experiment.error().front();
}

std::vector<std::string> rows_of(const Experiment& experiment) {
  std::vector<std::string> rows;
  for (const ModelSpec& model : experiment.models) rows.push_back(model.name);
  return rows;
}

TEST(Variants, EachModelIsARowForEach) {
  const auto experiment = parse_experiment(kTwoModels + R"([[variants]]
name = "{model}, bare"
pack_level = "none"
[[variants]]
name = "{model}"
guidance = { gemm = ["cache_blocking"] }
)",
                                           "small.toml");
  ASSERT_TRUE(experiment) << describe(experiment.error().front());
  EXPECT_THAT(rows_of(*experiment), ElementsAre("A, bare", "A", "B, bare", "B"));
  EXPECT_EQ(experiment->models[0].variant.pack_level, PackLevel::kNone);
  EXPECT_EQ(experiment->models[0].base, "A");
  EXPECT_EQ(experiment->models[3].variant.pack_level, PackLevel::kContract);
  EXPECT_THAT(experiment->models[3].variant.guidance.at("gemm"), ElementsAre("cache_blocking"));
  const auto plan = expand_plan(*experiment);
  ASSERT_EQ(plan.size(), 4U);
  EXPECT_EQ(plan[1].model, "A");
  EXPECT_EQ(plan[1].id, "exp_000") << "ids count within a row";
  EXPECT_EQ(variants_of(*experiment).size(), 2U);
}

TEST(Variants, WithoutThemModelsAreWhatTheyAre) {
  const auto experiment = parse_experiment(kTwoModels, "small.toml");
  ASSERT_TRUE(experiment);
  EXPECT_THAT(rows_of(*experiment), ElementsAre("A", "B"));
  EXPECT_EQ(experiment->models[1].base, "B");
}

TEST(Variants, TwoRowsOfOneNameAreRefusedWithTheRemedy) {
  const Error error = only_error("[[variants]]\nname = \"bare\"\npack_level = \"none\"\n");
  EXPECT_EQ(error.key, "variants");
  EXPECT_THAT(error.what, HasSubstr("'bare'"));
  EXPECT_THAT(error.hint, HasSubstr("{model}"));
}

TEST(Variants, AnUnknownLevelIsNamed) {
  const Error error = only_error("[[variants]]\nname = \"{model}\"\npack_level = \"all\"\n");
  EXPECT_EQ(error.line, 16);
  EXPECT_EQ(error.key, "variants[0].pack_level");
}

TEST(Variants, AMissingCorpusIsNamedAndHowToMakeOne) {
  const Error error =
      only_error("[[variants]]\nname = \"{model}\"\nrepair_notes = { corpus = \"gone.jsonl\" }\n");
  EXPECT_EQ(error.key, "variants[0].repair_notes.corpus");
  EXPECT_THAT(error.what, HasSubstr("folder/gone.jsonl"));
  EXPECT_THAT(error.hint, HasSubstr("ptxbatch export notes"));
}

TEST(Variants, ACorpusIsReadWithTheFile) {
  const TestFolder folder;
  const RepairRecord record{"host", "gemm_f32_n192_k160", "a", "", {"note"}, "b", 0, ""};
  ASSERT_TRUE(write_text(folder.file("notes.jsonl"), repair_record_line(record)));
  const auto experiment = parse_experiment(kTwoModels + R"([[variants]]
name = "{model} + notes"
[variants.repair_notes]
corpus = "notes.jsonl"
kernels = 2
fixed_kernel = true
)",
                                           folder.file("small.toml"));
  ASSERT_TRUE(experiment) << describe(experiment.error().front());
  const RepairNotesSettings& notes = experiment->models[0].variant.repair_notes;
  ASSERT_NE(notes.corpus, nullptr);
  EXPECT_EQ(notes.corpus->failed_kernels("host", "gemm_f32_n192_k160"), 1U);
  EXPECT_EQ(notes.kernels, 2);
  EXPECT_EQ(notes.notes, 8) << "the paper's";
  EXPECT_TRUE(notes.fixed_kernel);
}

}  // namespace
}  // namespace ptxbatch
