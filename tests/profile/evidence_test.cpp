// Whether the scanned instructions ran, seen by breakpoints in the real tracer.
#include <algorithm>

#include "ranks/compile/disassembly.h"
#include "tests/profile/judge_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EvidenceTest : public JudgeTest {
 protected:
  Evidence collect(const std::string& name) {
    const StaticScan scan = scan_binary("host", candidate(name), 60);
    EXPECT_TRUE(scan.succeeded) << scan.failure;
    return judge_->collect_evidence(gemm_problem(), candidate(name), scan);
  }
};

std::ptrdiff_t executed(const Evidence& evidence) {
  return std::count_if(evidence.instructions.begin(), evidence.instructions.end(),
                       [](const InstructionRecord& each) { return each.executed; });
}

TEST_F(EvidenceTest, AnExecutedFmaIsPresent) {
  const Evidence evidence = collect("fma_executed");
  EXPECT_EQ(evidence.state, TargetInstruction::kPresent) << evidence.failure;
  EXPECT_GE(executed(evidence), 1);
}

TEST_F(EvidenceTest, AnFmaBehindABranchNeverTakenIsNotExecuted) {
  const Evidence evidence = collect("fma_never_executed");
  EXPECT_EQ(evidence.state, TargetInstruction::kNotExecuted) << evidence.failure;
  EXPECT_FALSE(evidence.instructions.empty());
  EXPECT_EQ(executed(evidence), 0);
}

TEST_F(EvidenceTest, ABinaryWithoutFmaIsAbsentWithoutARun) {
  const Evidence evidence = collect("correct");
  EXPECT_EQ(evidence.state, TargetInstruction::kAbsent);
  EXPECT_THAT(evidence.instructions, IsEmpty());
}

TEST_F(EvidenceTest, OfThousandsOfInstructionsOnlyThoseExecutedAreMarked) {
  const Evidence evidence = collect("fma_thousands");
  EXPECT_EQ(evidence.state, TargetInstruction::kPresent) << evidence.failure;
  EXPECT_GT(evidence.instructions.size(), 8192U);
  EXPECT_GE(executed(evidence), 1);
  EXPECT_LT(executed(evidence), 100);
}

TEST_F(EvidenceTest, ACrashUnderBreakpointsLeavesItUnknown) {
  const Evidence evidence = collect("fma_then_crash");
  EXPECT_EQ(evidence.state, TargetInstruction::kUnknown);
  EXPECT_THAT(evidence.failure, HasSubstr("signal 11"));
  EXPECT_EQ(collect("fma_executed").state, TargetInstruction::kPresent);
}

TEST_F(EvidenceTest, ARunThatDoesNotEndLeavesItUnknown) {
  JudgeConfig config = small_config(scratch());
  config.budgets.evidence_s = 1;
  use(config);
  EXPECT_EQ(collect("fma_then_endless").state, TargetInstruction::kUnknown);
}

TEST_F(EvidenceTest, WrongOutputsUnderBreakpointsLeaveItUnknown) {
  EXPECT_EQ(collect("fma_and_wrong").state, TargetInstruction::kUnknown);
}

TEST_F(EvidenceTest, ABinaryThatCouldNotBeScannedIsUnknown) {
  StaticScan scan;
  scan.failure = "objdump failed";
  const Evidence evidence =
      judge_->collect_evidence(gemm_problem(), candidate("fma_executed"), scan);
  EXPECT_EQ(evidence.state, TargetInstruction::kUnknown);
  EXPECT_THAT(evidence.failure, HasSubstr("objdump failed"));
}

TEST_F(EvidenceTest, NothingStaysBehind) {
  EXPECT_EQ(collect("fma_executed").state, TargetInstruction::kPresent);
  EXPECT_THAT(children_named("ptxbatch-tracer"), IsEmpty());
  judge_.reset();
  EXPECT_THAT(processes_in(scratch()), IsEmpty());
}

}  // namespace
}  // namespace ptxbatch
