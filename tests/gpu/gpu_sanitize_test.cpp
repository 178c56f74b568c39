// The sanitize stage on a real GPU: candidates whose results are right and whose memory is not.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Found = Sanitization::Outcome;

class GpuSanitize : public GpuTest {
 protected:
  Sanitization sanitize(const std::string& name, const std::string& tool = "memcheck",
                        double budget_s = 60) {
    JudgeConfig config = gpu_config(scratch());
    config.protocol.sanitizers = {tool};
    config.budgets.sanitize_s = budget_s;
    use(config);
    Sanitization found = judge_->sanitize(small_gemm(), gpu_candidate(name));
    std::printf("SANITIZE %s, %s: outcome %d in %.2f s\n%s\n", name.c_str(), tool.c_str(),
                static_cast<int>(found.outcome), found.seconds, found.report.c_str());
    return found;
  }
};

TEST_F(GpuSanitize, CleanCandidatesPassEachTool) {
  for (const char* tool : {"memcheck", "racecheck", "synccheck", "initcheck"}) {
    EXPECT_EQ(sanitize("honest_plain", tool).outcome, Found::kClean) << tool;
    EXPECT_EQ(sanitize("evidence_present", tool).outcome, Found::kClean) << tool;
  }
}

TEST_F(GpuSanitize, MemcheckNamesKernelAndLineOfAReadInFrontOfAnInput) {
  EXPECT_EQ(evaluate("sanitize_reads_before_input").outcome, Outcome::kCorrect);
  const Sanitization found = sanitize("sanitize_reads_before_input");
  EXPECT_EQ(found.outcome, Found::kFault);
  EXPECT_THAT(found.report,
              AllOf(HasSubstr("Invalid __global__ read of size 2"), HasSubstr("read_before"),
                    HasSubstr("sanitize_reads_before_input.cu:5")));
}

TEST_F(GpuSanitize, MemcheckFindsAnOverrunOfTheCandidatesOwnMemory) {
  EXPECT_EQ(evaluate("sanitize_overruns_own_buffer").outcome, Outcome::kCorrect);
  const Sanitization found = sanitize("sanitize_overruns_own_buffer");
  EXPECT_EQ(found.outcome, Found::kFault);
  EXPECT_THAT(found.report, HasSubstr("Invalid __global__ write of size 4"));
}

TEST_F(GpuSanitize, MemcheckExplainsADeviceFault) {
  const Sanitization found = sanitize("fault_misaligned");
  EXPECT_EQ(found.outcome, Found::kFault);
  EXPECT_THAT(found.report, HasSubstr("misaligned"));
}

TEST_F(GpuSanitize, RacecheckFindsARace) {
  EXPECT_EQ(sanitize("sanitize_shared_race", "racecheck").outcome, Found::kFault);
}

TEST_F(GpuSanitize, SynccheckFindsADivergentBarrier) {
  EXPECT_EQ(sanitize("sanitize_divergent_barrier", "synccheck").outcome, Found::kFault);
}

TEST_F(GpuSanitize, InitcheckFindsAReadOfUnwrittenMemory) {
  EXPECT_EQ(sanitize("sanitize_uninitialised", "initcheck").outcome, Found::kFault);
}

TEST_F(GpuSanitize, AKernelThatDoesNotEndUsesUpTheBudgetAndNoMore) {
  const Sanitization found = sanitize("fault_endless_kernel", "memcheck", 5);
  EXPECT_EQ(found.outcome, Found::kTimedOut);
  EXPECT_EQ(evaluate("honest_plain").outcome, Outcome::kCorrect);
}

/// A program in place of compute-sanitizer.
std::string script(const std::string& folder, const std::string& body) {
  const std::string path = folder + "/sanitizer";
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST_F(GpuSanitize, ACandidateThatDidNotRunUnderTheToolIsNotClean) {
  const Sanitization found = sanitize("fault_throws");
  EXPECT_EQ(found.outcome, Found::kToolFailed);
  EXPECT_THAT(found.report, HasSubstr("memcheck failed"));
}

TEST_F(GpuSanitize, ASanitizerThatDiesOrHangsIsAnOutcomeOfItsOwn) {
  JudgeConfig config = gpu_config(scratch());
  config.budgets.sanitize_s = 2;
  for (const char* body : {"exit 3", "sleep 1000"}) {
    config.sanitizer_program = script(scratch(), body);
    use(config);
    const Sanitization found = judge_->sanitize(small_gemm(), gpu_candidate("honest_plain"));
    EXPECT_EQ(found.outcome, Found::kToolFailed) << body;
    EXPECT_THAT(found.report, HasSubstr("memcheck failed"));
  }
  EXPECT_EQ(evaluate("honest_plain").outcome, Outcome::kCorrect);
}

}  // namespace
}  // namespace ptxbatch
