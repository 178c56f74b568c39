// What a model is told, outcome by outcome.
#include "ranks/prompt/feedback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Feedback : public testing::Test {
 protected:
  Feedback() {
    problem.axes = {{"M", 24}, {"N", 32}, {"K", 8}};
    problem.inputs.resize(2);
    problem.inputs[0].tensor = {"A", DataType::kFloat32, {24, 8}};
    problem.inputs[1].tensor = {"B", DataType::kFloat32, {32, 8}};
    problem.outputs = {{"C", DataType::kFloat32, {24, 32}}};
    target.name = "host";
    facts.extraction = {Extraction::Outcome::kFound, "int a;\n"};
    facts.compilation.emplace();
    facts.compilation->outcome = Compilation::Outcome::kCompiled;
  }

  Evaluation& evaluated(Evaluation::Outcome outcome) {
    facts.evaluation.emplace();
    facts.evaluation->outcome = outcome;
    return *facts.evaluation;
  }

  [[nodiscard]] std::string text(int max_tokens = 4000) const {
    return make_feedback(facts, problem, target, protocol, max_tokens);
  }

  Problem problem;
  TargetSpec target;
  ProtocolSettings protocol;
  TurnFacts facts;
};

TEST_F(Feedback, WithoutCodeItSaysHowToGiveIt) {
  facts.extraction.outcome = Extraction::Outcome::kNoCodeBlock;
  EXPECT_THAT(text(), AllOf(HasSubstr("no code block"), HasSubstr("kernel.cpp")));
  facts.extraction.outcome = Extraction::Outcome::kEmptyBlock;
  EXPECT_THAT(text(), HasSubstr("is empty"));
  target.name = "hopper";
  EXPECT_THAT(text(), HasSubstr("kernel.cu`"));
}

TEST_F(Feedback, ABannedUseIsNamedWithItsLine) {
  facts.banned = BannedUse{"CBLAS", 17, "cblas_sgemm(CblasRowMajor,"};
  EXPECT_THAT(text(),
              AllOf(HasSubstr("CBLAS"), HasSubstr("line 17"), HasSubstr("cblas_sgemm(Cblas")));
}

TEST_F(Feedback, ACompileErrorGivesTheCompilersOutput) {
  facts.compilation->outcome = Compilation::Outcome::kFailed;
  facts.compilation->output = "kernel.cpp:3:1: error: 'flaot' does not name a type\n";
  EXPECT_THAT(text(), AllOf(HasSubstr("does not compile"), HasSubstr("'flaot'")));
}

TEST_F(Feedback, ACompileTimeoutSaysAfterHowLong) {
  facts.compilation->outcome = Compilation::Outcome::kTimedOut;
  facts.compilation->seconds = 120.04;
  EXPECT_THAT(text(), HasSubstr("stopped after 120 s"));
}

TEST_F(Feedback, CompilerNotesStandInFrontOfTheVerdict) {
  facts.compilation->output = "ptxas info    : Used 30 registers\n";
  evaluated(Evaluation::Outcome::kCorrect);
  const std::string feedback = text();
  EXPECT_LT(feedback.find("Used 30 registers"), feedback.find("Correct."));
  facts.compilation->output = " \n";
  EXPECT_THAT(text(), StartsWith("Correct."));
}

TEST_F(Feedback, AWrongResultNamesErrorsPlaceAndAxes) {
  Evaluation& evaluation = evaluated(Evaluation::Outcome::kWrong);
  evaluation.phase = "correctness";
  evaluation.trial = 1;
  evaluation.call = 1;
  OutputError error;
  error.output = "C";
  error.elements = 768;
  error.wrong = 32;
  error.max_abs = 1.5;
  error.max_rel = 2.25;
  error.first_wrong = 23 * 32 + 5;
  error.not_finite = 1;
  error.never_written = 4;
  evaluation.errors = {error};
  EXPECT_THAT(text(), AllOf(HasSubstr("output `C` [24, 32]: 32 of 768 elements wrong"),
                            HasSubstr("max abs error 1.5, max rel error 2.25"),
                            HasSubstr("first wrong one is at [23, 5]"),
                            HasSubstr("1 NaN or Inf value;"), HasSubstr("4 elements never written"),
                            HasSubstr("K=8, M=24, N=32"), HasSubstr("exceeds 0.01"),
                            HasSubstr("\"correctness\", trial 2, after 1 finished call of")));
}

TEST_F(Feedback, OutputsThatAreRightAreSaidToBeRight) {
  OutputError right;
  right.output = "C";
  right.elements = 768;
  evaluated(Evaluation::Outcome::kWrong).errors = {right};
  EXPECT_THAT(text(), HasSubstr("all 768 elements right"));
}

TEST_F(Feedback, ACrashNamesTheSignalAndWhatWasTouched) {
  Evaluation& evaluation = evaluated(Evaluation::Outcome::kCrashed);
  evaluation.signal = SIGSEGV;
  evaluation.fault_address_kind = "just behind output C";
  evaluation.phase = "timing";
  evaluation.call = 7;
  EXPECT_THAT(text(),
              AllOf(HasSubstr("Segmentation fault (signal 11)"), HasSubstr("just behind output C"),
                    HasSubstr("\"timing\", trial 1, after 7 finished calls")));
}

TEST_F(Feedback, AnExceptionsTextIsGiven) {
  evaluated(Evaluation::Outcome::kRaised).detail = "RuntimeError: K must be 64.";
  EXPECT_THAT(text(), HasSubstr("threw an exception: RuntimeError: K must be 64.\n"));
}

TEST_F(Feedback, AWrongInterfaceShowsTheRightOne) {
  evaluated(Evaluation::Outcome::kWrongInterface).detail = "it takes 2 arguments, not 3";
  EXPECT_THAT(text(), AllOf(HasSubstr("2 arguments"),
                            HasSubstr("void run(TensorView A, TensorView B, TensorView C)")));
}

TEST_F(Feedback, ExitTimeoutOverrunAndTimingViolationEachSayWhatHappened) {
  evaluated(Evaluation::Outcome::kExited).exit_code = 3;
  EXPECT_THAT(text(), HasSubstr("exit code 3"));
  evaluated(Evaluation::Outcome::kTimedOut).phase = "warm-up";
  EXPECT_THAT(text(), AllOf(HasSubstr("did not end"), HasSubstr("\"warm-up\"")));
  evaluated(Evaluation::Outcome::kOverrun).detail = "64 bytes before output C";
  EXPECT_THAT(text(), AllOf(HasSubstr("in front of"), HasSubstr("64 bytes before output C")));
  evaluated(Evaluation::Outcome::kTimingViolation);
  EXPECT_THAT(text(), HasSubstr("times are not valid"));
}

TEST_F(Feedback, AFaultOfTheDeviceComesWithWhatItTendsToMean) {
  Evaluation& evaluation = evaluated(Evaluation::Outcome::kDeviceFault);
  evaluation.device_error = 716;
  evaluation.detail = "misaligned address (CUDA error 716)";
  evaluation.phase = "correctness";
  EXPECT_THAT(text(), AllOf(HasSubstr("misaligned address (CUDA error 716)"), HasSubstr("16 bytes"),
                            HasSubstr("\"correctness\"")));
}

TEST_F(Feedback, AServiceFailureIsNotBlamedOnTheCandidate) {
  evaluated(Evaluation::Outcome::kServiceFailure).detail = "the keeper ended";
  EXPECT_THAT(text(), AllOf(HasSubstr("not its own"), HasSubstr("the keeper ended")));
}

TEST_F(Feedback, TheSanitizersReportIsGiven) {
  facts.sanitization.emplace();
  facts.sanitization->outcome = Sanitization::Outcome::kFault;
  facts.sanitization->report = "Invalid __global__ write of size 4 at kernel.cu:12";
  EXPECT_THAT(text(), HasSubstr("kernel.cu:12"));
  facts.sanitization->outcome = Sanitization::Outcome::kTimedOut;
  facts.sanitization->report = "memcheck";
  EXPECT_THAT(text(), HasSubstr("Under compute-sanitizer (memcheck)"));
}

TEST_F(Feedback, ADeviceFaultIsExplainedByTheSanitizersReport) {
  Evaluation& evaluation = evaluated(Evaluation::Outcome::kDeviceFault);
  evaluation.device_error = 716;
  evaluation.detail = "misaligned address (CUDA error 716)";
  facts.sanitization.emplace();
  facts.sanitization->outcome = Sanitization::Outcome::kFault;
  facts.sanitization->report = "Invalid __global__ write of size 4 at kernel.cu:12";
  EXPECT_THAT(text(), AllOf(HasSubstr("CUDA error 716"), HasSubstr("kernel.cu:12")));
}

TEST_F(Feedback, ACorrectResultGivesSpeedupLatenciesTargetAndGoal) {
  Evaluation& evaluation = evaluated(Evaluation::Outcome::kCorrect);
  evaluation.speedup = 0.5;
  evaluation.paired_speedup = 0.25;
  evaluation.candidate_latency_ms = 2;
  evaluation.reference_latency_ms = 1;
  EXPECT_THAT(text(),
              AllOf(HasSubstr("Speedup 0.5x"), HasSubstr("on host"), HasSubstr("2 ms against 1 ms"),
                    HasSubstr("1.2x"), HasSubstr("Keep optimizing"), Not(HasSubstr("Warning"))));
  protocol.speedup = "paired";
  EXPECT_THAT(text(), HasSubstr("Speedup 0.25x"));
}

TEST_F(Feedback, MissingTargetInstructionsAreWarnedOf) {
  evaluated(Evaluation::Outcome::kCorrect);
  facts.scan.emplace();
  EXPECT_THAT(text(), Not(HasSubstr("Warning"))) << "a scan that failed says nothing";
  facts.scan->succeeded = true;
  EXPECT_THAT(text(), HasSubstr("holds none of the target's instructions: packed FMA"));
  target.name = "hopper";
  EXPECT_THAT(text(), HasSubstr("wgmma"));
  target.name = "blackwell";
  EXPECT_THAT(text(), HasSubstr("tcgen05"));
  facts.scan->instructions.emplace_back();
  EXPECT_THAT(text(), Not(HasSubstr("Warning")));
  facts.evidence.emplace();
  facts.evidence->state = TargetInstruction::kNotExecuted;
  EXPECT_THAT(text(), HasSubstr("never executed"));
}

TEST_F(Feedback, ItStaysWithinItsBudgetAndKeepsHeadAndTail) {
  facts.compilation->outcome = Compilation::Outcome::kFailed;
  facts.compilation->output = "FIRST ERROR\n" + std::string(1'000'000, 'x') + "\nLAST ERROR\n";
  const std::string feedback = text(500);
  EXPECT_LE(feedback.size(), 2000U);
  EXPECT_THAT(feedback, AllOf(HasSubstr("FIRST ERROR"), HasSubstr("LAST ERROR"),
                              HasSubstr("characters cut")));
}

}  // namespace
}  // namespace ptxbatch
