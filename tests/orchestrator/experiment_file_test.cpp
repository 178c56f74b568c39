// Experiment files: the paper's defaults, and every mistake answered with file, line, key and what
// would be right.
#include "orchestrator/experiment_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orchestrator/input_check.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

const std::string kGood = R"(name = "small"
[[models]]
name = "recorded"
provider = "recorded"
replies = "replies"
[[targets]]
name = "host"
[[problems]]
name = "GEMM"
definition = "gemm_f32_n192_k160"
workload = "7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41"
)";

// The errors of a text, which must have some.
std::vector<Error> errors_of(const std::string& text) {
  auto experiment = parse_experiment(text, "folder/small.toml");
  if (experiment) {
    ADD_FAILURE() << "the text was accepted";
    return {Error{}};
  }
  return experiment.error();
}

TEST(ExperimentFile, DefaultsAreThePapers) {
  const auto experiment = parse_experiment(kGood, "small.toml");
  ASSERT_TRUE(experiment) << describe(experiment.error().front());
  const ProtocolSettings& protocol = experiment->protocol;
  EXPECT_EQ(protocol.turns, 8);
  EXPECT_EQ(protocol.target_speedup, 1.2);
  EXPECT_EQ(protocol.warmups, 10);
  EXPECT_EQ(protocol.iterations, 50);
  EXPECT_EQ(protocol.abs_tolerance, 1e-2);
  EXPECT_EQ(protocol.rel_tolerance, 1e-2);
  EXPECT_EQ(experiment->budgets.generate_s, 3600);
  EXPECT_EQ(experiment->budgets.sanitize_s, 120);
  EXPECT_EQ(experiment->budgets.evaluate_s, 30);
  EXPECT_EQ(experiment->rank.generating, 32);
  ASSERT_EQ(experiment->prompts.size(), 1U);
  EXPECT_EQ(experiment->prompts[0].tag, "base");
}

TEST(ExperimentFile, SanitizersAreToolsOfComputeSanitizer) {
  const auto defaults = parse_experiment(kGood, "small.toml");
  ASSERT_TRUE(defaults);
  EXPECT_THAT(defaults->protocol.sanitizers, testing::ElementsAre("memcheck"));
  const std::string good = std::string(kGood) + "[protocol]\nsanitizers = []\n";
  const auto none = parse_experiment(good, "small.toml");
  ASSERT_TRUE(none) << describe(none.error().front());
  EXPECT_THAT(none->protocol.sanitizers, testing::IsEmpty());
  const auto errors = errors_of(std::string(kGood) + "[protocol]\nsanitizers = [\"asan\"]\n");
  EXPECT_EQ(errors.front().key, "protocol.sanitizers");
  EXPECT_THAT(errors.front().hint, testing::HasSubstr("racecheck"));
}

TEST(ExperimentFile, PathsAreTakenFromTheFilesFolder) {
  const auto experiment = parse_experiment(kGood, "/somewhere/small.toml");
  ASSERT_TRUE(experiment);
  EXPECT_EQ(experiment->models[0].replies_folder, "/somewhere/replies");
}

TEST(ExperimentFile, UnknownKeyNamesFileLineKeyAndTheRightOne) {
  const auto errors = errors_of(kGood + "[protocol]\ntunrs = 4\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].kind, ErrorKind::kInput);
  EXPECT_EQ(errors[0].file, "folder/small.toml");
  EXPECT_EQ(errors[0].line, 13);
  EXPECT_EQ(errors[0].key, "protocol.tunrs");
  EXPECT_THAT(errors[0].hint, HasSubstr("'turns'"));
}

TEST(ExperimentFile, UnknownProviderListsTheKnownOnes) {
  std::string text = kGood;
  text.replace(text.find("provider = \"recorded\""), 21, "provider = \"telepathy\"");
  const auto errors = errors_of(text);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].key, "models[0].provider");
  EXPECT_EQ(errors[0].line, 4);
  EXPECT_THAT(errors[0].hint, HasSubstr("recorded"));
}

TEST(ExperimentFile, AProblemThatCannotBeReadIsNamedAtItsLine) {
  std::string text = kGood;
  text.replace(text.find("gemm_f32_n192_k160"), 18, "gemm_of_nobody");
  const auto errors = errors_of(text);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].key, "problems[0].definition");
  EXPECT_EQ(errors[0].line, 10);
  EXPECT_THAT(errors[0].what, HasSubstr("gemm_of_nobody"));
}

TEST(ExperimentFile, MissingTablesAreNamedAndAllMistakesReported) {
  const auto errors = errors_of("replicas = 0\n");
  std::vector<std::string> keys;
  for (const Error& error : errors) keys.push_back(error.key);
  EXPECT_THAT(keys,
              testing::UnorderedElementsAre("name", "replicas", "models", "targets", "problems"));
}

TEST(ExperimentFile, NamesMayNotStandTwice) {
  const auto errors = errors_of(kGood + "[[targets]]\nname = \"host\"\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].key, "targets");
  EXPECT_THAT(errors[0].what, HasSubstr("'host'"));
}

TEST(ExperimentFile, GuidanceForAnUnknownOperatorIsRefused) {
  const auto errors =
      errors_of(kGood + "[[prompts]]\ntag = \"base\"\nguidance = { gem = [\"a\"] }\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].key, "prompts[0].guidance");
  EXPECT_THAT(errors[0].hint, HasSubstr("gemm"));
}

TEST(ExperimentFile, MissingRecordedReplyIsFoundBeforeTheRun) {
  const auto experiment = parse_experiment(kGood, "/nonexistent/small.toml");
  ASSERT_TRUE(experiment);
  const auto errors = check_inputs(*experiment);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].line, 2);
  EXPECT_THAT(errors[0].what,
              HasSubstr("/nonexistent/replies/gemm_f32_n192_k160/exp_000/turn_0.md"));
}

TEST(ExperimentFile, APackThatIsNotThereIsFoundOnceAtItsKey) {
  std::string text = kGood;
  text.replace(text.find("[[problems]]"), 0, "pack = \"nopack\"\n");
  text += "[[prompts]]\ntag = \"a\"\n[[prompts]]\ntag = \"b\"\n";
  const auto experiment = parse_experiment(text, "/nonexistent/small.toml");
  ASSERT_TRUE(experiment);
  const auto errors = check_inputs(*experiment);
  ASSERT_EQ(errors.size(), 2U);  // the other: no replies
  EXPECT_EQ(errors[0].key, "targets[0].pack");
  EXPECT_EQ(errors[0].line, 6);
  EXPECT_THAT(errors[0].hint, HasSubstr("pack.toml"));
}

TEST(ExperimentFile, AnUnknownWorkloadIsNamedWithThoseThatExist) {
  std::string text = kGood;
  text.replace(text.find("7c0f"), 4, "0000");
  const auto errors = errors_of(text);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].key, "problems[0].workload");
  EXPECT_THAT(errors[0].what, HasSubstr("7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41"));
}

TEST(ExperimentFile, ALimitOnTheCostIsAboveZeroAndFinite) {
  for (const char* limit : {"0", "-1", "nan", "inf"}) {
    const auto errors = errors_of(kGood + "[spending]\nmax_cost_usd = " + limit + "\n");
    EXPECT_EQ(errors[0].key, "spending.max_cost_usd") << limit;
    EXPECT_THAT(errors[0].what, HasSubstr("expected more than 0"));
  }
  const auto errors = errors_of(kGood + "[spending]\nmax_tokens = 0\n");
  EXPECT_THAT(errors[0].what, HasSubstr("expected at least 1"));
}

TEST(ExperimentFile, AMissingFileIsNamed) {
  const auto experiment = read_experiment_file("/nonexistent/small.toml");
  ASSERT_FALSE(experiment);
  EXPECT_EQ(experiment.error().front().file, "/nonexistent/small.toml");
}

}  // namespace
}  // namespace ptxbatch
