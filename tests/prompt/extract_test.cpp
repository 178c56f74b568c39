// Which code is taken out of replies as models write them, careless ones too.
#include "ranks/prompt/extract.h"

#include <gtest/gtest.h>

#include <string>

namespace ptxbatch {
namespace {

using Outcome = Extraction::Outcome;

const std::string kKernel =
    "void k(tvm::ffi::TensorView c) {}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, k);\n";

std::string block(const std::string& language, const std::string& code) {
  return "```" + language + "\n" + code + "```\n";
}

TEST(Extract, AReplyWithoutABlockHasNoCode) {
  for (const char* reply :
       {"", "\n", "I cannot do that.", "Use `inline` code.", "``\ncode\n``\n"}) {
    EXPECT_EQ(extract_code(reply).outcome, Outcome::kNoCodeBlock) << reply;
  }
}

TEST(Extract, BlocksWithNothingInThemAreEmpty) {
  EXPECT_EQ(extract_code("```cpp\n \t\n\n```\n").outcome, Outcome::kEmptyBlock);
  EXPECT_EQ(extract_code("```cpp").outcome, Outcome::kEmptyBlock);
}

TEST(Extract, TheBlockIsTakenVerbatim) {
  const Extraction found = extract_code("Here:\n\n" + block("cpp", kKernel) + "\nDone.\n");
  EXPECT_EQ(found.outcome, Outcome::kFound);
  EXPECT_EQ(found.source, kKernel);
}

TEST(Extract, TheLastOfSeveralKernelsCounts) {
  const std::string better = "// better\n" + kKernel;
  EXPECT_EQ(extract_code(block("cpp", kKernel) + block("cpp", better)).source, better);
}

TEST(Extract, AFragmentAfterTheKernelDoesNotReplaceIt) {
  EXPECT_EQ(extract_code(block("cpp", kKernel) + block("cpp", "int tile = 6;\n")).source, kKernel);
  EXPECT_EQ(extract_code(block("cpp", kKernel) + block("bash", "make\n")).source, kKernel);
}

TEST(Extract, ABlockInAnotherLanguageIsNoKernelEvenIfItNamesEverything) {
  const std::string patch = block("diff", "+" + kKernel);
  EXPECT_EQ(extract_code(block("cpp", kKernel) + patch).source, kKernel);
}

TEST(Extract, WithoutAKernelTheLastNonEmptyCppBlockCounts) {
  const std::string reply = block("cpp", "int a;\n") + block("cpp", "int b;\n") +
                            block("cpp", "\n") + block("bash", "make\n");
  EXPECT_EQ(extract_code(reply).source, "int b;\n");
}

TEST(Extract, WithoutAnyCppBlockTheLastNonEmptyOneCounts) {
  EXPECT_EQ(extract_code(block("python", "a\n") + block("text", "b\n")).source, "b\n");
}

TEST(Extract, ALaunchOrAGlobalFunctionMakesAKernelToo) {
  const std::string macro = "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, k);\n";
  for (const std::string sign : {"k<<<1, 1>>>();\n", "__global__ void f();\n"}) {
    const std::string reply = block("cuda", sign + macro) + block("cuda", "int last;\n");
    EXPECT_EQ(extract_code(reply).source, sign + macro);
  }
}

TEST(Extract, CppFencesOfManySpellingsCount) {
  for (const char* info :
       {"cpp", "CPP", "c++", "C++", "cuda", "cu", "cxx", "cc", " cpp ", "cpp title=\"kernel.cpp\"",
        "{.cpp .numberLines}", "cpp{1,3-4}", "cpp:kernel.cpp", ""}) {
    const std::string reply = block(info, kKernel) + block("text", "after\n");
    EXPECT_EQ(extract_code(reply).source, kKernel) << info;
  }
}

TEST(Extract, CarriageReturnsGoAway) {
  const Extraction found = extract_code("```cpp\r\nint a;\r\nint b;\r\n```\r\n");
  EXPECT_EQ(found.source, "int a;\nint b;\n");
}

TEST(Extract, AnIndentedBlockLosesItsFencesIndentationOnly) {
  EXPECT_EQ(extract_code("1. Code:\n   ```cpp\n   int a;\n     int b;\n  int c;\n   ```\n").source,
            "int a;\n  int b;\nint c;\n");
}

TEST(Extract, TildeFencesHoldBackticks) {
  EXPECT_EQ(extract_code("~~~cpp\n// ```\nint a;\n~~~\n").source, "// ```\nint a;\n");
}

TEST(Extract, ALongerFenceHoldsShorterOnes) {
  EXPECT_EQ(extract_code("````cpp\n/* ``` */\n```\nint a;\n````\n").source,
            "/* ``` */\n```\nint a;\n");
}

TEST(Extract, AKernelInsideAMarkdownBlockIsFound) {
  const std::string reply = "```markdown\nText.\n" + block("cpp", kKernel) + "More.\n```\nEnd.\n";
  EXPECT_EQ(extract_code(reply).source, kKernel);
}

TEST(Extract, ABlockThatWasNeverClosedEndsWhereTheNextBegins) {
  const std::string better = "// better\n" + kKernel;
  EXPECT_EQ(extract_code("```cpp\nint a;\n" + block("cpp", better)).source, better);
}

TEST(Extract, ATruncatedLastFenceStillCounts) {
  const std::string half = "```cpp\n" + kKernel + "int unfinish";
  EXPECT_EQ(extract_code("Text.\n" + half).source, kKernel + "int unfinish\n");
}

TEST(Extract, InlineTripleBackticksOpenNothing) {
  const std::string reply = "Use ```x``` or\n```y``` here.\n" + block("cpp", kKernel);
  EXPECT_EQ(extract_code(reply).source, kKernel);
}

TEST(Extract, NulBytesAreDropped) {
  std::string reply = "```cpp\nint a;\n```\n";
  reply.insert(reply.find("a;"), 1, '\0');
  EXPECT_EQ(extract_code(reply).source, "int a;\n");
}

// Quadratic behaviour would take hours here; the test's own time-out is the guard.
TEST(Extract, HugeRepliesAreReadInOnePass) {
  std::string reply;
  for (int i = 0; i < 300'000; ++i) reply += "```cpp\n``\n~~~\n";
  EXPECT_EQ(extract_code(reply).source, "``\n~~~\n");
  EXPECT_EQ(extract_code(std::string(20'000'000, '`')).outcome, Outcome::kEmptyBlock);
  EXPECT_EQ(extract_code(std::string(20'000'000, ' ')).outcome, Outcome::kNoCodeBlock);
}

}  // namespace
}  // namespace ptxbatch
