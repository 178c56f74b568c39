// Whether the target's instructions did the work, on a real GPU: scanned in the binary, counted in
// a run.
#include <tuple>

#include "ranks/compile/disassembly.h"
#include "ranks/profile/flop_coverage.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;

constexpr double kScanTimeoutS = 60;

TEST(FlopCoverage, AWarpgroupsInstructionIsIssuedByFourWarps) {
  EXPECT_EQ(flops_per_warp_execution("HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24, gsb0"),
            2.0 * 64 * 256 * 16 / 4);
  EXPECT_EQ(flops_per_warp_execution("@!P0 HGMMA.64x8x16.F32 R24, R20, gdesc[UR4], !UPT"),
            2.0 * 64 * 8 * 16 / 4);
  EXPECT_EQ(flops_per_warp_execution("QGMMA.64x64x32.F32.E4M3.E4M3 R24, gdesc[UR4]"),
            2.0 * 64 * 64 * 32 / 4);
}

TEST(FlopCoverage, OtherInstructionsComputeNothing) {
  EXPECT_EQ(flops_per_warp_execution("UTMALDG.2D [UR8], [UR4], desc[UR6]"), 0);
  EXPECT_EQ(flops_per_warp_execution("HMMA.16816.F32.BF16 R4, R8, R12, R4"), 0);
  EXPECT_EQ(flops_per_warp_execution("HGMMA.something"), 0);
  EXPECT_EQ(flops_per_warp_execution(""), 0);
}

TEST(FlopCoverage, PredicatedOffExecutionsDoNotCount) {
  InstructionRecord instruction;
  instruction.text = "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], R24";
  instruction.warp_executions = 8;
  instruction.thread_executions = 4 * 32;
  const double one_execution = 2.0 * 64 * 64 * 16 / 4;
  EXPECT_EQ(flop_coverage({instruction}, 4 * one_execution), 1.0);
}

class GpuEvidence : public GpuTest {
 protected:
  Evidence evidence_of(const std::string& name) {
    const std::string binary = gpu_candidate(name);
    const StaticScan scan = scan_binary("hopper", binary, kScanTimeoutS);
    EXPECT_TRUE(scan.succeeded) << scan.failure;
    const Evaluation evaluation = judge_->evaluate(small_gemm(), binary);
    EXPECT_EQ(evaluation.outcome, Outcome::kCorrect) << report(evaluation);
    Evidence evidence = judge_->collect_evidence(small_gemm(), binary, scan);
    std::printf("EVIDENCE %s: %s, coverage %.4f, %.3f s, %s\n", name.c_str(),
                std::string(target_instruction_name(evidence.state)).c_str(),
                evidence.flop_coverage, evidence.seconds, evidence.failure.c_str());
    for (const InstructionRecord& i : evidence.instructions) {
      std::printf("  %s+%lx %s: %ld warps, %ld threads\n", i.function.c_str(),
                  static_cast<unsigned long>(i.address), i.text.c_str(), i.warp_executions,
                  i.thread_executions);
    }
    return evidence;
  }
};

TEST_F(GpuEvidence, PresentWhereTheInstructionDoesTheWork) {
  const Evidence evidence = evidence_of("evidence_present");
  EXPECT_EQ(evidence.state, TargetInstruction::kPresent) << evidence.failure;
  EXPECT_NEAR(evidence.flop_coverage, 1.0, 1e-6);
  bool bf16 = false;
  for (const auto& instruction : evidence.instructions) {
    bf16 |= instruction.executed && instruction.text.find("BF16") != std::string::npos;
  }
  EXPECT_TRUE(bf16) << "the variant that ran is kept";
}

TEST_F(GpuEvidence, NotExecutedBehindAConditionThatIsNeverTrue) {
  const Evidence evidence = evidence_of("evidence_guarded");
  EXPECT_EQ(evidence.state, TargetInstruction::kNotExecuted) << evidence.failure;
  EXPECT_EQ(evidence.flop_coverage, 0);
}

TEST_F(GpuEvidence, NotExecutedInAKernelThatIsNeverLaunched) {
  const Evidence evidence = evidence_of("evidence_never_launched");
  EXPECT_EQ(evidence.state, TargetInstruction::kNotExecuted) << evidence.failure;
}

TEST_F(GpuEvidence, ATokenInstructionIsPresentAndCoversNothing) {
  const Evidence evidence = evidence_of("evidence_token");
  EXPECT_EQ(evidence.state, TargetInstruction::kPresent) << evidence.failure;
  EXPECT_LT(evidence.flop_coverage, 0.01);
  EXPECT_GE(evidence.flop_coverage, 0);
}

TEST_F(GpuEvidence, LoadsByTmaAloneArePresentAndCoverNothing) {
  const Evidence evidence = evidence_of("evidence_tma_only");
  EXPECT_EQ(evidence.state, TargetInstruction::kPresent) << evidence.failure;
  EXPECT_EQ(evidence.flop_coverage, 0);
}

/// What must be the same whoever counted.
std::vector<std::tuple<std::uint64_t, std::int64_t, std::int64_t>> counts_of(
    const Evidence& evidence) {
  std::vector<std::tuple<std::uint64_t, std::int64_t, std::int64_t>> counts;
  for (const InstructionRecord& i : evidence.instructions) {
    counts.emplace_back(i.address, i.warp_executions, i.thread_executions);
  }
  return counts;
}

// A backward pass computes the scores twice in the two-kernel scheme, and causal ones whole tiles.
TEST_F(GpuEvidence, ThePacksKernelsAreCorrectAndDoTheirWorkByWgmma) {
  for (const char* op_type : {"gemm", "mha_fwd", "mha_fwd_causal", "mha_bwd", "mha_bwd_causal"}) {
    const std::string binary = gpu_candidate(std::string("pack_") + op_type);
    const Evaluation evaluation = judge_->evaluate(paper_problem(op_type), binary);
    EXPECT_EQ(evaluation.outcome, Outcome::kCorrect) << op_type << ": " << report(evaluation);
    const Evidence evidence = judge_->collect_evidence(
        paper_problem(op_type), binary, scan_binary("hopper", binary, kScanTimeoutS));
    EXPECT_EQ(evidence.state, TargetInstruction::kPresent) << op_type << ": " << evidence.failure;
    EXPECT_GE(evidence.flop_coverage, 0.999) << op_type;
    EXPECT_LT(evidence.flop_coverage, 1.5) << op_type;
  }
}

TEST_F(GpuEvidence, NsightComputeCountsTheSame) {
  for (const char* name : {"evidence_present", "evidence_guarded", "evidence_token"}) {
    use(gpu_config(scratch()));
    const Evidence inside = evidence_of(name);
    JudgeConfig config = gpu_config(scratch());
    config.evidence_by_ncu_only = true;
    use(config);
    const Evidence by_ncu = evidence_of(name);
    EXPECT_EQ(by_ncu.state, inside.state) << by_ncu.failure;
    EXPECT_EQ(counts_of(by_ncu), counts_of(inside)) << name;
  }
}

TEST_F(GpuEvidence, WhereTheProcessCannotCountNsightComputeDoes) {
  JudgeConfig config = gpu_config(scratch());
  config.tracer_program = "/bin/false";
  use(config);
  EXPECT_EQ(evidence_of("evidence_present").state, TargetInstruction::kPresent);
}

TEST_F(GpuEvidence, WhereNobodyCanCountTheStateIsUnknown) {
  JudgeConfig config = gpu_config(scratch());
  config.tracer_program = "/bin/false";
  config.ncu_program = "/bin/false";
  use(config);
  const Evidence evidence = evidence_of("evidence_present");
  EXPECT_EQ(evidence.state, TargetInstruction::kUnknown);
  EXPECT_THAT(evidence.failure, HasSubstr("by ncu"));
}

TEST_F(GpuEvidence, AbsentWhereTheBinaryHasNone) {
  EXPECT_EQ(evidence_of("honest_plain").state, TargetInstruction::kAbsent);
}

}  // namespace
}  // namespace ptxbatch
