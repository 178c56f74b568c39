// What a model was given, from a results file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/show.h"
#include "tests/analysis/run_on_disk.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

RunRecords records_of(const SmallRun& run) {
  const TestFolder folder;
  run.write(folder.file("run.h5"));
  auto read = read_run(folder.file("run.h5"));
  EXPECT_TRUE(read.has_value()) << describe(read.error());
  read->path = "run.h5";
  return std::move(*read);
}

TEST(ShowPrompt, ATrajectorysIsTheTextThatItsHashStandsFor) {
  const SmallRun small;
  EXPECT_EQ(given_messages(records_of(small), 0, std::nullopt).value(), small.prompt.text);
}

TEST(ShowPrompt, WithATurnItIsAllThatStoodBeforeThatReply) {
  const RunRecords run = records_of({});
  const auto messages = nlohmann::json::parse(given_messages(run, 0, 1).value());
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0]["role"], "system");
  EXPECT_EQ(messages[2]["role"], "assistant");
  EXPECT_THAT(messages[2]["content"].get<std::string>(), HasSubstr("int x = ;"));
  EXPECT_EQ(messages[3]["content"], "error: expected");
  EXPECT_EQ(nlohmann::json::parse(given_messages(run, 0, 0).value()).size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(given_messages(run, 0, 2).value()).size(), 6U);
}

TEST(ShowPrompt, ATurnThatIsNotThereIsSaidSo) {
  const auto none = given_messages(records_of({}), 0, 3);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(none.error().hint, HasSubstr("turns 0 to 2"));
}

TEST(ShowPrompt, ARunWithoutPromptsIsSaidSo) {
  SmallRun small;
  small.prompt.sha256 = "another";
  EXPECT_THAT(given_messages(records_of(small), 0, std::nullopt).error().what,
              HasSubstr("run.h5 does not hold what trajectory 0 was given"));
}

TEST(ShowPrompt, MessagesStandBelowTheirRoleAndCannotCommandATerminal) {
  const auto text = show_messages(R"([{"role":"system","content":"a\n\n\tb\u001b[2J"}])", 60);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("── system: 9 bytes, about 2 tokens ──"));
  EXPECT_THAT(*text, HasSubstr("\na\n\n    b?[2J\n"));
  EXPECT_FALSE(show_messages("no JSON", 60).has_value());
}

TEST(ShowPrompt, TheListHasEachPromptOnce) {
  const std::string list = show_prompts(records_of({}), 0);
  EXPECT_THAT(list, HasSubstr("1 prompts"));
  EXPECT_THAT(list, HasSubstr("host    GEMM     base"));
}

}  // namespace
}  // namespace ptxbatch
