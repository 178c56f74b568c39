// What the judge makes of right, wrong and dying candidates, through the real programs.
#include <csignal>

#include "tests/profile/judge_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

int samples_of(const Evaluation& evaluation, TimingRecord::Side side, bool paired) {
  std::size_t samples = 0;
  for (const TimingRecord& timing : evaluation.timings) {
    if (timing.side == side && (timing.block >= 0) == paired) samples += timing.samples_ms.size();
  }
  return static_cast<int>(samples);
}

TEST_F(JudgeTest, ARightGemmIsCorrectAndTimedAgainstTheReferenceInPairs) {
  const Evaluation evaluation = evaluate("correct");
  ASSERT_EQ(evaluation.outcome, Outcome::kCorrect) << evaluation.detail;
  EXPECT_GT(evaluation.candidate_latency_ms, 0);
  EXPECT_GT(evaluation.reference_latency_ms, 0);
  EXPECT_DOUBLE_EQ(evaluation.speedup,
                   evaluation.reference_latency_ms / evaluation.candidate_latency_ms);
  EXPECT_GT(evaluation.paired_speedup, 0);
  EXPECT_EQ(samples_of(evaluation, TimingRecord::Side::kCandidate, true), 2 * 6);
  EXPECT_EQ(samples_of(evaluation, TimingRecord::Side::kReference, true), 2 * 6);
  EXPECT_EQ(samples_of(evaluation, TimingRecord::Side::kReference, false), 2 * 6);
  ASSERT_THAT(evaluation.errors, SizeIs(1));
  EXPECT_EQ(evaluation.errors[0].wrong, 0);
  EXPECT_EQ(evaluation.errors[0].elements, 2 * 32 * 48);
}

TEST_F(JudgeTest, WithoutPairsTheReferenceIsTimedOnceOnly) {
  JudgeConfig config = small_config(scratch());
  config.protocol.pair_blocks = 0;
  use(config);
  const Evaluation evaluation = evaluate("correct");
  ASSERT_EQ(evaluation.outcome, Outcome::kCorrect) << evaluation.detail;
  EXPECT_GT(evaluation.speedup, 0);
  EXPECT_EQ(evaluation.paired_speedup, 0);
  // Two trials: the reference alone and the candidate, each once.
  EXPECT_EQ(evaluation.timings.size(), 4U);
}

TEST_F(JudgeTest, ACandidateExportedThroughTheCppInterfaceIsCorrect) {
  EXPECT_EQ(evaluate("typed_correct").outcome, Outcome::kCorrect);
}

TEST_F(JudgeTest, BothOutputsOfAttentionAreJudged) {
  const Evaluation evaluation = judge_->evaluate(mha_problem(), candidate("mha"));
  ASSERT_EQ(evaluation.outcome, Outcome::kCorrect) << evaluation.detail;
  ASSERT_THAT(evaluation.errors, SizeIs(2));
  EXPECT_EQ(evaluation.errors[1].output, "LSE");
}

TEST_F(JudgeTest, ACandidateForOtherShapesOfTensorsEndsAtTheGuardPage) {
  // Its three tensors are read as A, B and C of a product; the memory ends before it does.
  const Evaluation evaluation = judge_->evaluate(mha_problem(), candidate("correct"));
  EXPECT_NE(evaluation.outcome, Outcome::kCorrect);
}

TEST_F(JudgeTest, OneWrongTileIsFoundAndPlaced) {
  const Evaluation evaluation = evaluate("wrong_last_tile");
  ASSERT_EQ(evaluation.outcome, Outcome::kWrong);
  EXPECT_EQ(evaluation.phase, "correctness");
  EXPECT_EQ(evaluation.errors[0].wrong, 2 * 8);
  EXPECT_EQ(evaluation.errors[0].first_wrong, 32 * 48 - 8);
  EXPECT_THAT(evaluation.timings, IsEmpty());
}

TEST_F(JudgeTest, ANotANumberIsWrong) {
  const Evaluation evaluation = evaluate("not_a_number");
  ASSERT_EQ(evaluation.outcome, Outcome::kWrong);
  EXPECT_EQ(evaluation.errors[0].not_finite, 2);
}

TEST_F(JudgeTest, AnElementNeverWrittenIsSeenAsSuch) {
  const Evaluation evaluation = evaluate("forgets_an_element");
  ASSERT_EQ(evaluation.outcome, Outcome::kWrong);
  EXPECT_EQ(evaluation.errors[0].never_written, 2);
  EXPECT_EQ(evaluation.errors[0].first_wrong, 0);
}

TEST_F(JudgeTest, ACandidateThatDoesNothingLeavesEveryElementUnwritten) {
  const Evaluation evaluation = evaluate("does_nothing");
  ASSERT_EQ(evaluation.outcome, Outcome::kWrong);
  EXPECT_EQ(evaluation.errors[0].never_written, 2 * 32 * 48);
}

TEST_F(JudgeTest, AddingToAnUninitialisedOutputIsWrong) {
  EXPECT_EQ(evaluate("adds_to_uninitialised_output").outcome, Outcome::kWrong);
}

TEST_F(JudgeTest, AKernelThatIsRightOnlyTheFirstTimeIsWrong) {
  EXPECT_EQ(evaluate("right_in_the_first_call_only").outcome, Outcome::kWrong);
}

TEST_F(JudgeTest, AWrongCallAmongTheTimedOnesIsWrong) {
  const Evaluation evaluation = evaluate("wrong_in_every_fifth_call");
  ASSERT_EQ(evaluation.outcome, Outcome::kWrong);
  EXPECT_EQ(evaluation.errors[0].wrong, 1);
  EXPECT_EQ(evaluation.phase, "timing");
}

TEST_F(JudgeTest, AResultKeptFromAnEarlierCallIsWrong) {
  EXPECT_EQ(evaluate("keeps_its_results").outcome, Outcome::kWrong);
}

TEST_F(JudgeTest, AResultKeptFromAnEarlierCallIsWrongWithASingleTrialToo) {
  JudgeConfig config = small_config(scratch());
  config.protocol.trials = 1;
  use(config);
  EXPECT_EQ(evaluate("keeps_its_results").outcome, Outcome::kWrong);
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
}

TEST_F(JudgeTest, WhatACandidatePrintsDecidesNothing) {
  EXPECT_EQ(evaluate("prints_that_it_passed").outcome, Outcome::kWrong);
}

TEST_F(JudgeTest, AnExceptionIsReportedWithItsTextMadePrintable) {
  const Evaluation evaluation = evaluate("typed_raises");
  ASSERT_EQ(evaluation.outcome, Outcome::kRaised);
  EXPECT_THAT(evaluation.detail, HasSubstr("seven ?? is not supported"));
  EXPECT_EQ(evaluate("typed_raises_a_long_text").outcome, Outcome::kRaised);
}

TEST_F(JudgeTest, ARunThatTakesOtherArgumentsHasTheWrongInterface) {
  EXPECT_EQ(evaluate("typed_wrong_arity").outcome, Outcome::kWrongInterface);
  EXPECT_EQ(evaluate("typed_wrong_type").outcome, Outcome::kWrongInterface);
}

TEST_F(JudgeTest, ALibraryWithoutRunHasTheWrongInterface) {
  const Evaluation evaluation = evaluate("no_export");
  EXPECT_EQ(evaluation.outcome, Outcome::kWrongInterface);
  EXPECT_EQ(evaluation.phase, "load");
}

TEST_F(JudgeTest, ALibraryThatCannotBeLoadedSaysWhy) {
  const Evaluation evaluation = evaluate("undefined_symbol");
  EXPECT_EQ(evaluation.outcome, Outcome::kWrongInterface);
  EXPECT_THAT(evaluation.detail, HasSubstr("a_function_that_exists_nowhere"));
}

struct Crash {
  const char* name;
  int signal;
  const char* place;
};

class CrashTest : public JudgeTest, public ::testing::WithParamInterface<Crash> {};

TEST_P(CrashTest, IsReportedWithItsSignalAndPlaceAndTheNextCandidateIsUnaffected) {
  const Evaluation evaluation = evaluate(GetParam().name);
  EXPECT_EQ(evaluation.outcome, Outcome::kCrashed) << evaluation.detail;
  EXPECT_EQ(evaluation.signal, GetParam().signal);
  EXPECT_EQ(evaluation.fault_address_kind, GetParam().place);
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, CrashTest,
    ::testing::Values(
        Crash{"dereferences_null", SIGSEGV, "null pointer"},
        Crash{"writes_past_the_output", SIGSEGV, "just behind output C"},
        Crash{"writes_far_before_the_output", SIGSEGV, "just before output C"},
        Crash{"reads_past_an_input", SIGSEGV, "just behind input A"},
        Crash{"writes_into_an_input", SIGSEGV, "input B (read-only)"},
        Crash{"stores_misaligned", SIGSEGV, "a misaligned or non-canonical address"},
        Crash{"writes_to_a_non_canonical_address", SIGSEGV,
              "a misaligned or non-canonical address"},
        Crash{"sends_itself_a_segmentation_fault", SIGSEGV, ""},
        Crash{"overflows_the_stack", SIGSEGV, "stack overflow"}, Crash{"aborts", SIGABRT, ""},
        Crash{"traps", SIGILL, ""}, Crash{"divides_by_zero", SIGFPE, ""},
        Crash{"kills_itself", SIGKILL, ""}, Crash{"sends_rubbish", SIGKILL, ""},
        Crash{"sends_deep_nesting", SIGKILL, ""}, Crash{"sends_endless_strings", SIGKILL, ""},
        Crash{"sends_an_empty_message", SIGKILL, ""}, Crash{"sends_a_huge_message", SIGKILL, ""},
        Crash{"sends_a_descriptor", SIGKILL, ""}, Crash{"closes_every_descriptor", SIGKILL, ""}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_F(JudgeTest, WritingJustBeforeTheOutputIsAnOverrun) {
  const Evaluation evaluation = evaluate("writes_before_the_output");
  EXPECT_EQ(evaluation.outcome, Outcome::kOverrun);
  EXPECT_EQ(evaluation.fault_address_kind, "just before output C");
}

TEST_F(JudgeTest, ExitingInsideRunIsReportedWithItsCode) {
  Evaluation evaluation = evaluate("exits");
  EXPECT_EQ(evaluation.outcome, Outcome::kExited);
  EXPECT_EQ(evaluation.exit_code, 0);
  evaluation = evaluate("exits_at_once");
  EXPECT_EQ(evaluation.outcome, Outcome::kExited);
  EXPECT_EQ(evaluation.exit_code, 7);
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
}

class EndlessTest : public JudgeTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(EndlessTest, IsKilledAtTheBudgetAndTheNextCandidateIsUnaffected) {
  JudgeConfig config = small_config(scratch());
  config.budgets.evaluate_s = 1;
  use(config);
  EXPECT_EQ(evaluate(GetParam()).outcome, Outcome::kTimedOut);
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
}

INSTANTIATE_TEST_SUITE_P(EachKind, EndlessTest,
                         ::testing::Values("never_returns", "never_returns_in_a_later_call",
                                           "ignores_signals_and_never_returns"),
                         [](const auto& each) { return std::string(each.param); });

TEST_F(JudgeTest, AHundredMegabytesOfPrintingNeitherBlockNorCount) {
  EXPECT_EQ(evaluate("prints_100_megabytes").outcome, Outcome::kCorrect);
}

TEST_F(JudgeTest, TimeSpentAsleepInsideRunCounts) {
  const Evaluation evaluation = evaluate("sleeps_for_five_milliseconds");
  ASSERT_EQ(evaluation.outcome, Outcome::kCorrect);
  EXPECT_GE(evaluation.candidate_latency_ms, 5);
}

TEST_F(JudgeTest, AClockExportedByTheCandidateIsNotTheRunners) {
  const Evaluation evaluation = evaluate("exports_a_clock");
  ASSERT_EQ(evaluation.outcome, Outcome::kCorrect) << evaluation.detail;
  EXPECT_GT(evaluation.candidate_latency_ms, 0);
}

TEST_F(JudgeTest, AClockThatTheCandidateStoppedIsATimingViolation) {
  const Evaluation evaluation = evaluate("stops_the_clock");
  EXPECT_EQ(evaluation.outcome, Outcome::kTimingViolation) << evaluation.detail;
}

TEST_F(JudgeTest, TheSameInputsComeFromTheSameSeed) {
  const Evaluation first = evaluate("wrong_last_tile");
  JudgeConfig config = small_config(scratch());
  use(config);
  const Evaluation again = evaluate("wrong_last_tile");
  config.protocol.input_seed = 43;
  use(config);
  const Evaluation other = evaluate("wrong_last_tile");
  EXPECT_EQ(first.errors.at(0).max_rel, again.errors.at(0).max_rel);
  EXPECT_NE(first.errors.at(0).max_rel, other.errors.at(0).max_rel);
}

TEST_F(JudgeTest, TheDeviceSaysWhatItIsAndWhatTheReferenceIs) {
  const auto info = judge_->device_info();
  ASSERT_TRUE(info);
  EXPECT_THAT(info->name, HasSubstr("core"));
  EXPECT_THAT(info->libraries, StartsWith("OpenBLAS"));
}

TEST_F(JudgeTest, ACoreThatDoesNotExistIsAnErrorThatNamesIt) {
  JudgeConfig config = small_config(scratch());
  config.device = 1000;
  use(config);
  const auto info = judge_->device_info();
  ASSERT_FALSE(info);
  EXPECT_THAT(info.error().what, HasSubstr("core 1000"));
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kServiceFailure);
}

TEST_F(JudgeTest, AProblemWithoutAReferenceIsAServiceFailureThatSaysSo) {
  Problem problem = gemm_problem();
  problem.op_type = "unheard_of";
  const Evaluation evaluation = judge_->evaluate(problem, candidate("correct"));
  EXPECT_EQ(evaluation.outcome, Outcome::kServiceFailure);
  EXPECT_THAT(evaluation.detail, HasSubstr("unheard_of"));
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
}

TEST(MakeJudge, NamesAProgramThatIsNotThere) {
  JudgeConfig config = small_config(::testing::TempDir());
  config.runner_program = "/nowhere/ptxbatch-runner-host";
  const auto judge = make_judge(config);
  ASSERT_FALSE(judge);
  EXPECT_THAT(judge.error().what, HasSubstr("/nowhere/ptxbatch-runner-host"));
}

}  // namespace
}  // namespace ptxbatch
