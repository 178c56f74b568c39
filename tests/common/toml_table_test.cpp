#include "common/toml_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class TomlTableTest : public testing::Test {
 protected:
  TomlTable read(const std::string& text) {
    auto parsed = parse_toml(text, file_);
    EXPECT_TRUE(parsed);
    toml_ = std::move(*parsed);
    return {toml_, "", file_, errors_};
  }

  std::string file_ = "a.toml";
  toml::table toml_;
  std::vector<Error> errors_;
};

TEST_F(TomlTableTest, SyntaxErrorNamesLineAndColumn) {
  const auto parsed = parse_toml("a = 1\nb = = 2\n", file_);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().file, "a.toml");
  EXPECT_EQ(parsed.error().line, 2);
  EXPECT_GT(parsed.error().column, 0);
}

TEST_F(TomlTableTest, UnknownKeyIsAnErrorWithTheClosestKnownOne) {
  TomlTable table = read("turns = 8\n\nreplicsa = 2\n");
  table.integer("turns", 1, 1, 10);
  table.integer("replicas", 1, 1, 10);
  table.reject_unknown_keys();
  ASSERT_THAT(errors_, SizeIs(1));
  EXPECT_EQ(errors_[0].line, 3);
  EXPECT_EQ(errors_[0].key, "replicsa");
  EXPECT_THAT(errors_[0].hint, HasSubstr("Did you mean 'replicas'?"));
}

TEST_F(TomlTableTest, WrongTypeSaysWhatIsThereAndWhatIsExpected) {
  TomlTable table = read("turns = \"eight\"\n");
  EXPECT_EQ(table.integer("turns", 8, 1, 10), 8);
  ASSERT_THAT(errors_, SizeIs(1));
  EXPECT_EQ(errors_[0].what, "is a string, expected an integer");
}

TEST_F(TomlTableTest, NumbersOutOfRangeAreRefused) {
  TomlTable table = read("turns = 0\nspeed = nan\n");
  table.integer("turns", 8, 1, 10);
  table.number("speed", 1, 0, 10);
  ASSERT_THAT(errors_, SizeIs(2));
  EXPECT_EQ(errors_[0].what, "is 0, expected between 1 and 10");
}

TEST_F(TomlTableTest, AnIntegerIsANumber) {
  TomlTable table = read("budget = 3\n");
  EXPECT_EQ(table.number("budget", 1, 0, 10), 3.0);
  EXPECT_THAT(errors_, SizeIs(0));
}

TEST_F(TomlTableTest, NestedKeysAreDotted) {
  TomlTable table = read("[[models]]\nname = 1\n");
  auto models = table.tables("models", true);
  ASSERT_THAT(models, SizeIs(1));
  models[0].required_string("name");
  ASSERT_THAT(errors_, SizeIs(1));
  EXPECT_EQ(errors_[0].key, "models[0].name");
  EXPECT_EQ(errors_[0].line, 2);
}

TEST_F(TomlTableTest, AllMistakesAreCollected) {
  TomlTable table = read("turns = 0\nwhat = 1\n");
  table.integer("turns", 8, 1, 10);
  table.required_string("name");
  table.tables("models", true);
  table.reject_unknown_keys();
  EXPECT_THAT(errors_, SizeIs(4));
}

TEST_F(TomlTableTest, ListsOfStringsByName) {
  TomlTable table = read("guidance = { gemm = [\"a\", \"b\"], mha_fwd = [] }\n");
  const auto lists = table.string_lists("guidance");
  EXPECT_THAT(lists.at("gemm"), testing::ElementsAre("a", "b"));
  EXPECT_THAT(lists.at("mha_fwd"), SizeIs(0));
}

}  // namespace
}  // namespace ptxbatch
