// The order of a prompt, and that it is the same every time.
#include "ranks/prompt/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;

class Prompt : public testing::Test {
 protected:
  Prompt() {
    target.name = "host";
    target.pack_folder = PTXBATCH_PACKS_FOLDER "/host";
    problem.name = "GEMM";
    problem.problem.op_type = "gemm";
    problem.problem.definition_json = "{\n  \"name\": \"small\"\n}";
    prompt.tag = "base";
    prompt.line = 12;
  }

  [[nodiscard]] std::vector<Message> messages() const {
    auto assembled = assemble_prompt(target, problem, prompt, variant);
    EXPECT_TRUE(assembled) << describe(assembled.error());
    return assembled.value_or(std::vector<Message>(2));
  }

  TargetSpec target;
  ProblemSpec problem;
  PromptSpec prompt;
  VariantSpec variant;
};

TEST_F(Prompt, ItIsASystemAndAUserMessage) {
  const auto assembled = messages();
  ASSERT_EQ(assembled.size(), 2U);
  EXPECT_EQ(assembled[0].role, "system");
  EXPECT_EQ(assembled[1].role, "user");
}

TEST_F(Prompt, TheSystemMessageHasThePapersOrder) {
  prompt.guidance["gemm"] = {"register_blocking"};
  const std::string system = messages()[0].content;
  std::size_t last = 0;
  for (const char* part :
       {"# How you work", "# The machine", "# Template functions", "## `templates/vector.h`",
        "# The contract", "# Guidance: register blocking", "# Worked example", "## `example.cpp`",
        "The target is `host`."}) {
    const std::size_t at = system.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    EXPECT_GT(at, last) << part;
    last = at;
  }
}

TEST_F(Prompt, TheTaskIsTheDefinitionAsItStands) {
  EXPECT_THAT(messages()[1].content, HasSubstr("```json\n{\n  \"name\": \"small\"\n}\n```"));
}

TEST_F(Prompt, ATagAddsItsGuidanceForTheProblemsOperatorOnly) {
  const std::string base = messages()[0].content;
  prompt.guidance["mha_fwd"] = {"online_softmax"};
  EXPECT_EQ(messages()[0].content, base);
  prompt.guidance["gemm"] = {"register_blocking", "cache_blocking"};
  const std::string system = messages()[0].content;
  EXPECT_LT(system.find("# Guidance: register"), system.find("# Guidance: cache"));
  EXPECT_THAT(system, Not(HasSubstr("# Guidance: online")));
}

// Everything in its place, so that a reader of the protocol can follow: system (instructions, the
// pack's components, guidance, worked example, target), then user (the task).
TEST_F(Prompt, ThePartsOfAGpuPromptFollowThePapersOrder) {
  target.name = "hopper";
  target.pack_folder = PTXBATCH_PACKS_FOLDER "/hopper";
  problem.problem.op_type = "mha_bwd";
  variant.guidance["mha_bwd"] = {"expert_rules"};
  prompt.guidance["mha_bwd"] = {"two_kernels"};
  const std::string system = messages()[0].content;
  std::size_t last = 0;
  for (const char* part :
       {"# How you work", "# The machine", "# Template functions", "## `templates/thread.cuh`",
        "## `templates/wgmma.cuh`", "# The contract", "# Rules for attention kernels",
        "two kernels", "# Worked example of the binding", "## `example.cu`",
        "The target is `hopper`."}) {
    const std::size_t at = system.find(part, last);
    ASSERT_NE(at, std::string::npos) << part;
    last = at;
  }
  EXPECT_EQ(last + std::string("The target is `hopper`.\n").size(), system.size());
}

// Table 3 of the paper: each level holds the ones before it, and nothing else changes.
TEST_F(Prompt, ALevelOfThePackLeavesOutWhatIsBeyondIt) {
  using enum PackLevel;
  const std::vector<std::pair<PackLevel, int>> held = {
      {kNone, 0}, {kParameters, 1}, {kTemplates, 2}, {kContract, 3}};
  const std::string whole = messages()[0].content;
  for (const auto& [level, parts] : held) {
    variant.pack_level = level;
    const std::string system = messages()[0].content;
    int found = 0;
    for (const char* title : {"# The machine\n", "# Template functions\n", "# The contract\n"}) {
      found += system.find(title) != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(found, parts);
    EXPECT_THAT(system, HasSubstr("# How you work"));
    EXPECT_THAT(system, HasSubstr("# Worked example of the binding"));
    EXPECT_EQ(system == whole, level == kContract);
  }
}

TEST_F(Prompt, AVariantsGuidanceStandsInFrontOfTheTags) {
  variant.guidance["gemm"] = {"cache_blocking"};
  prompt.guidance["gemm"] = {"register_blocking"};
  const std::string system = messages()[0].content;
  EXPECT_LT(system.find("# Guidance: cache"), system.find("# Guidance: register"));
  variant.guidance.clear();
  prompt.guidance["gemm"] = {"cache_blocking", "register_blocking"};
  EXPECT_EQ(messages()[0].content, system) << "where a document is asked for makes no difference";
}

TEST_F(Prompt, AVariantsUnknownGuidanceIsNamedAsTheVariants) {
  variant.guidance["gemm"] = {"online_softmax"};
  variant.line = 7;
  const auto assembled = assemble_prompt(target, problem, prompt, variant);
  ASSERT_FALSE(assembled);
  EXPECT_EQ(assembled.error().line, 7);
  EXPECT_EQ(assembled.error().key, "variants.guidance.gemm");
}

TEST_F(Prompt, GuidanceThatThePackDoesNotHaveIsAnErrorThatListsWhatItHas) {
  prompt.guidance["gemm"] = {"online_softmax"};
  const auto assembled = assemble_prompt(target, problem, prompt);
  ASSERT_FALSE(assembled);
  EXPECT_EQ(assembled.error().kind, ErrorKind::kInput);
  EXPECT_EQ(assembled.error().line, 12);
  EXPECT_EQ(assembled.error().key, "prompts.base.guidance.gemm");
  EXPECT_THAT(assembled.error().what, HasSubstr("online_softmax"));
  EXPECT_THAT(assembled.error().hint, HasSubstr("cache_blocking"));
}

TEST_F(Prompt, APackForAnotherTargetIsRefused) {
  target.name = "hopper";
  const auto assembled = assemble_prompt(target, problem, prompt);
  ASSERT_FALSE(assembled);
  EXPECT_EQ(assembled.error().file, target.pack_folder + "/pack.toml");
  EXPECT_THAT(assembled.error().what, HasSubstr("'host', not 'hopper'"));
}

TEST_F(Prompt, AMissingPackIsAnErrorThatNamesIt) {
  target.pack_folder += "_gone";
  const auto assembled = assemble_prompt(target, problem, prompt);
  ASSERT_FALSE(assembled);
  EXPECT_THAT(describe(assembled.error()), HasSubstr("host_gone/pack.toml"));
}

TEST(MessagesJson, ItIsAnArrayOfRolesAndContents) {
  const std::string text = messages_json({{"system", "a\n\"b\""}, {"user", "c"}});
  const auto json = nlohmann::json::parse(text);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["role"], "system");
  EXPECT_EQ(json[0]["content"], "a\n\"b\"");
  EXPECT_EQ(json[1].size(), 2U);
}

TEST(MessagesJson, BytesThatAreNotUtf8AreReplacedNotRefused) {
  const auto json = nlohmann::json::parse(messages_json({{"assistant", "a\xFFz"}}));
  EXPECT_EQ(json[0]["content"], "a\xEF\xBF\xBDz");
}

TEST(MessagesJson, ItIsReadBackToWhatItWasMadeOf) {
  const std::string text = messages_json({{"system", "a\n\"b\""}, {"user", "c"}});
  const auto messages = messages_from_json(text);
  ASSERT_TRUE(messages) << describe(messages.error());
  EXPECT_EQ(messages_json(*messages), text);
}

TEST(MessagesJson, WhatIsNoListOfMessagesIsRefused) {
  for (const char* text : {"", "[1]", R"([{"role":"user"}])"}) {
    EXPECT_FALSE(messages_from_json(text)) << text;
  }
}

}  // namespace
}  // namespace ptxbatch
