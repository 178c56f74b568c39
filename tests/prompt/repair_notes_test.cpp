// Corpora of repair notes: how lines are read, which kernels are found, what is said of them.
#include "ranks/prompt/repair_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

RepairRecord record(const std::string& failed, const std::vector<std::string>& notes,
                    const std::string& fixed = "fixed", double speedup = 0) {
  return {"hopper", "mha", failed, "Runtime error", notes, fixed, speedup, ""};
}

RepairNotes corpus_of(const std::vector<RepairRecord>& records) {
  std::string lines;
  for (const RepairRecord& one : records) lines += repair_record_line(one);
  auto notes = RepairNotes::parse(lines, "notes.jsonl");
  EXPECT_TRUE(notes) << describe(notes.error());
  return notes.value_or(RepairNotes());
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(RepairNotes, ALineIsReadAsItWasWritten) {
  const RepairNotes notes =
      corpus_of({record("tma load", {"Align\nthe box."}, "fixed kernel\n", 0.5)});
  EXPECT_EQ(notes.failed_kernels("hopper", "mha"), 1U);
  EXPECT_EQ(notes.failed_kernels("hopper", "other"), 0U);
  EXPECT_EQ(notes.failed_kernels("blackwell", "mha"), 0U);
  const std::string text = notes.text_for("hopper", "mha", "tma", {});
  EXPECT_THAT(text,
              HasSubstr("## Similar failed kernel 1: Runtime error\n\n- Align\n  the box.\n"));
  EXPECT_THAT(text, Not(HasSubstr("fixed kernel")));
}

TEST(RepairNotes, AnotherTargetOrDefinitionHasNothingToSay) {
  const RepairNotes notes = corpus_of({record("tma load", {"Align the box."})});
  EXPECT_EQ(notes.text_for("blackwell", "mha", "tma", {}), "");
  EXPECT_EQ(notes.text_for("hopper", "gemm", "tma", {}), "");
  EXPECT_EQ(notes.text_for("hopper", "mha", "nothing in common", {}), "");
}

TEST(RepairNotes, TheThreeMostSimilarKernelsComeInOrder) {
  const RepairNotes notes =
      corpus_of({record("aa", {"one"}), record("aa bb", {"two"}), record("aa bb cc", {"three"}),
                 record("aa bb cc dd", {"four"}), record("xx", {"none"})});
  const std::string text = notes.text_for("hopper", "mha", "aa bb cc dd", {});
  EXPECT_LT(text.find("- four"), text.find("- three"));
  EXPECT_LT(text.find("- three"), text.find("- two"));
  EXPECT_THAT(text, Not(HasSubstr("- one")));
  EXPECT_THAT(text, Not(HasSubstr("- none")));
}

TEST(RepairNotes, EightNotesAreTheMostAndNoneIsSaidTwice) {
  std::vector<std::string> many;
  for (int i = 0; i < 6; ++i) many.push_back("note " + std::to_string(i));
  std::vector<std::string> more = many;
  for (int i = 6; i < 12; ++i) more.push_back("note " + std::to_string(i));
  const RepairNotes notes = corpus_of({record("aa bb", many), record("aa", more)});
  const std::string text = notes.text_for("hopper", "mha", "aa bb", {});
  EXPECT_EQ(count(text, "- note "), 8U);
  EXPECT_EQ(count(text, "- note 0\n"), 1U);
  EXPECT_THAT(text, HasSubstr("- note 7\n"));
}

TEST(RepairNotes, TheFixedKernelIsTheFastestOfTheFailedOnesRepairs) {
  RepairNotesSettings settings;
  settings.fixed_kernel = true;
  const RepairNotes notes = corpus_of({record("aa", {"first"}, "slow();", 0.2),
                                       record("aa", {"second"}, "fast();", 0.7123),
                                       record("zz", {"third"}, "other();", 0.9)});
  EXPECT_EQ(notes.failed_kernels("hopper", "mha"), 2U) << "one kernel was repaired twice";
  const std::string text = notes.text_for("hopper", "mha", "aa", settings);
  EXPECT_THAT(text, HasSubstr("- first\n- second\n"));
  EXPECT_THAT(text, HasSubstr("put right (speedup 0.71x):\n\n```cpp\nfast();\n```\n"));
  EXPECT_THAT(text, Not(HasSubstr("slow()")));
  EXPECT_THAT(text, Not(HasSubstr("other()")));
}

TEST(RepairNotes, AKernelThatIsTooLongIsLeftOutNotCut) {
  RepairNotesSettings settings;
  settings.fixed_kernel = true;
  settings.max_tokens = 200;
  const RepairNotes notes = corpus_of({record("aa", {"first"}, std::string(2000, 'x'))});
  const std::string text = notes.text_for("hopper", "mha", "aa", settings);
  EXPECT_THAT(text, StartsWith("\n# Repairs of similar kernels\n"));
  EXPECT_THAT(text, HasSubstr("- first\n"));
  EXPECT_THAT(text, HasSubstr("too long to be shown"));
  EXPECT_LE(text.size(), 4U * 200U);
}

TEST(RepairNotes, ADamagedLineIsNamedWithItsKey) {
  const std::string good = repair_record_line(record("aa", {"one"}));
  const auto no_json = RepairNotes::parse(good + "\n{\"schema\": 1,\n", "notes.jsonl");
  ASSERT_FALSE(no_json);
  EXPECT_EQ(no_json.error().file, "notes.jsonl");
  EXPECT_EQ(no_json.error().line, 3);
  const auto unknown = RepairNotes::parse(R"({"schema":1,"target":"hopper","definition":"mha",
"failed_kernel":"a","notes":["b"],"fixed_kernel":"c","note":"d"})",
                                          "notes.jsonl");
  EXPECT_FALSE(unknown);
  const auto newer = RepairNotes::parse(
      R"({"schema":2,"target":"t","definition":"d","failed_kernel":"a","notes":[],"fixed_kernel":"c"})",
      "notes.jsonl");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().key, "schema");
}

}  // namespace
}  // namespace ptxbatch
