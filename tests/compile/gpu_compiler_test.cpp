// nvcc with the paper's flags, and the target families in what it makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/compile/disassembly.h"
#include "ranks/compile/tools.h"
#include "tests/compile/compile_fixture.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class GpuCompiler : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto nvcc = find_nvcc(""); !nvcc) GTEST_SKIP() << describe(nvcc.error());
  }

  [[nodiscard]] Compilation compile_for(const std::string& target,
                                        const std::string& source) const {
    auto compiler = make_compiler(target_named(target), cache.path());
    EXPECT_TRUE(compiler) << describe(compiler.error());
    return compiler ? compile(**compiler, source, 240) : Compilation{};
  }

  // Opcodes of the target's family in `source` compiled for it.
  [[nodiscard]] std::vector<std::string> family_in(const std::string& target,
                                                   const std::string& source) const {
    const Compilation compiled = compile_for(target, source);
    EXPECT_EQ(compiled.outcome, Compilation::Outcome::kCompiled) << compiled.output;
    const StaticScan scan = scan_binary(target, compiled.binary, 120);
    EXPECT_TRUE(scan.succeeded) << scan.failure;
    std::vector<std::string> texts;
    for (const InstructionRecord& instruction : scan.instructions) {
      texts.push_back(instruction.function + ": " + instruction.text);
      EXPECT_EQ(instruction.address % 16, 0U) << "an instruction has 16 bytes";
    }
    return texts;
  }

  TemporaryFolder cache;
};

TEST_F(GpuCompiler, APlainKernelCompilesForBothAndHoldsNoTargetInstruction) {
  const std::string source = test_source("plain_kernel.cu");
  for (const char* target : {"hopper", "blackwell"}) {
    EXPECT_THAT(family_in(target, source), testing::IsEmpty());
  }
  const Compilation again = compile_for("hopper", source);
  EXPECT_TRUE(again.cached) << "and each target has a binary of its own";
  EXPECT_THAT(again.output,
              AllOf(HasSubstr("ptxas info"), HasSubstr("'sm_90a'"), Not(HasSubstr(cache.path()))));
}

TEST_F(GpuCompiler, WgmmaIsSeenAsGmma) {
  EXPECT_THAT(family_in("hopper", test_source("wgmma_kernel.cu")),
              testing::ElementsAre(StartsWith("_Z8multiplyPf: HGMMA.64x8x16.F32.BF16")));
}

TEST_F(GpuCompiler, Tcgen05IsSeenAsTensorMemoryInstructions) {
  EXPECT_THAT(
      family_in("blackwell", test_source("tcgen05_kernel.cu")),
      AllOf(testing::Contains(HasSubstr(": LDTM")), testing::Contains(HasSubstr("UTCATOMSWS"))));
}

TEST_F(GpuCompiler, ACandidateWithoutAKernelHoldsNone) {
  EXPECT_THAT(family_in("hopper", "extern \"C\" int f() { return 1; }\n"), testing::IsEmpty());
}

TEST_F(GpuCompiler, ACompileErrorNamesTheCandidateAndNoFolderOfOurs) {
  const Compilation result = compile_for("hopper", "__global__ void k() { flaot x; }\n");
  EXPECT_EQ(result.outcome, Compilation::Outcome::kFailed);
  EXPECT_THAT(result.output,
              AllOf(StartsWith("kernel.cu(1): error:"), Not(HasSubstr(cache.path()))));
}

TEST_F(GpuCompiler, AnErrorOfPtxasIsACompileErrorToo) {
  const Compilation result =
      compile_for("hopper", "__global__ void k() { asm volatile(\"wgmma.nonsense;\"); }\n");
  EXPECT_EQ(result.outcome, Compilation::Outcome::kFailed);
  EXPECT_THAT(result.output, HasSubstr("ptxas"));
}

TEST_F(GpuCompiler, TheVersionIsShort) {
  auto compiler = make_compiler(target_named("hopper"), cache.path());
  ASSERT_TRUE(compiler) << describe(compiler.error());
  EXPECT_THAT((*compiler)->version(), testing::MatchesRegex("nvcc [0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(GpuScan, WhatIsNoBinaryIsAFailureNeverAnEmptySuccess) {
  if (const auto tool = find_cuobjdump(); !tool) GTEST_SKIP() << describe(tool.error());
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/text";
  ASSERT_TRUE(write_text(path, "no binary"));
  for (const std::string& binary : {path, folder.path() + "/gone"}) {
    const StaticScan scan = scan_binary("hopper", binary, 60);
    EXPECT_FALSE(scan.succeeded);
    EXPECT_THAT(scan.failure, HasSubstr("cuobjdump"));
  }
}

}  // namespace
}  // namespace ptxbatch
