// Facts to label and cause: the table that results are judged by.
#include <gtest/gtest.h>

#include <csignal>

#include "ranks/turn_facts.h"

namespace ptxbatch {

static void PrintTo(const LabelAndCause& value, std::ostream* out) {
  *out << static_cast<int>(value.label) << " " << value.cause;
}
static bool operator==(const LabelAndCause& a, const LabelAndCause& b) {
  return a.label == b.label && a.cause == b.cause;
}

namespace {

TurnFacts compiled() {
  TurnFacts facts;
  facts.extraction = {Extraction::Outcome::kFound, "int a;\n"};
  facts.compilation.emplace();
  facts.compilation->outcome = Compilation::Outcome::kCompiled;
  return facts;
}

LabelAndCause label_of_outcome(Evaluation::Outcome outcome, int signal = 0) {
  TurnFacts facts = compiled();
  facts.evaluation.emplace();
  facts.evaluation->outcome = outcome;
  facts.evaluation->signal = signal;
  return label_of(facts);
}

LabelAndCause expect(Label label, const char* cause) {
  return {label, cause};
}

TEST(LabelOf, NoCodeIsAnExtractionError) {
  TurnFacts facts;
  EXPECT_EQ(label_of(facts), expect(Label::kExtractionError, "no_code_block"));
  facts.extraction.outcome = Extraction::Outcome::kEmptyBlock;
  EXPECT_EQ(label_of(facts), expect(Label::kExtractionError, "empty_code_block"));
}

TEST(LabelOf, ABannedUseIsAnOtherError) {
  TurnFacts facts;
  facts.extraction.outcome = Extraction::Outcome::kFound;
  facts.banned = BannedUse{"dlopen", 1, "dlopen(x)"};
  EXPECT_EQ(label_of(facts), expect(Label::kOtherError, "banned_use"));
}

TEST(LabelOf, FailedAndEndlessCompilationsAreCompilationErrors) {
  TurnFacts facts = compiled();
  facts.compilation->outcome = Compilation::Outcome::kFailed;
  EXPECT_EQ(label_of(facts), expect(Label::kCompilationError, "compile_error"));
  facts.compilation->outcome = Compilation::Outcome::kTimedOut;
  EXPECT_EQ(label_of(facts), expect(Label::kCompilationError, "compile_timeout"));
}

TEST(LabelOf, EachSanitizerOutcomeHasItsLabel) {
  TurnFacts facts = compiled();
  facts.sanitization.emplace();
  facts.sanitization->outcome = Sanitization::Outcome::kFault;
  EXPECT_EQ(label_of(facts), expect(Label::kRuntimeError, "sanitizer_fault"));
  facts.sanitization->outcome = Sanitization::Outcome::kTimedOut;
  EXPECT_EQ(label_of(facts), expect(Label::kSanitizeTimeout, "sanitizer_timeout"));
  facts.sanitization->outcome = Sanitization::Outcome::kToolFailed;
  EXPECT_EQ(label_of(facts), expect(Label::kProfilingServiceTimeout, "sanitizer_failed"));
}

// A hang under the sanitizer says nothing of a candidate whose result is wrong anyway.
TEST(LabelOf, TheSanitizersFaultGoesBeforeTheEvaluationAndItsOwnFailureBehindAWrongResult) {
  TurnFacts facts = compiled();
  facts.sanitization.emplace();
  facts.evaluation.emplace();
  for (const auto outcome : {Evaluation::Outcome::kCorrect, Evaluation::Outcome::kWrong}) {
    facts.evaluation->outcome = outcome;
    facts.sanitization->outcome = Sanitization::Outcome::kFault;
    EXPECT_EQ(label_of(facts), expect(Label::kRuntimeError, "sanitizer_fault"));
  }
  facts.sanitization->outcome = Sanitization::Outcome::kTimedOut;
  EXPECT_EQ(label_of(facts).label, Label::kNumericalError);
  facts.evaluation->outcome = Evaluation::Outcome::kCorrect;
  EXPECT_EQ(label_of(facts).label, Label::kSanitizeTimeout);
  facts.sanitization->outcome = Sanitization::Outcome::kClean;
  EXPECT_EQ(label_of(facts).label, Label::kCorrect);
}

TEST(LabelOf, EachEvaluationOutcomeHasItsLabel) {
  using Outcome = Evaluation::Outcome;
  EXPECT_EQ(label_of_outcome(Outcome::kCorrect), expect(Label::kCorrect, "correct"));
  EXPECT_EQ(label_of_outcome(Outcome::kWrongInterface),
            expect(Label::kOtherError, "wrong_interface"));
  EXPECT_EQ(label_of_outcome(Outcome::kRaised), expect(Label::kRuntimeError, "exception"));
  EXPECT_EQ(label_of_outcome(Outcome::kExited), expect(Label::kRuntimeError, "exited"));
  EXPECT_EQ(label_of_outcome(Outcome::kOverrun), expect(Label::kRuntimeError, "overrun"));
  EXPECT_EQ(label_of_outcome(Outcome::kTimedOut),
            expect(Label::kKernelExecutionTimeout, "kernel_timeout"));
  EXPECT_EQ(label_of_outcome(Outcome::kTimingViolation),
            expect(Label::kOtherError, "timing_violation"));
  EXPECT_EQ(label_of_outcome(Outcome::kServiceFailure),
            expect(Label::kProfilingServiceTimeout, "service_failure"));
}

TEST(LabelOf, EachFaultOfTheDeviceHasItsCause) {
  const std::pair<int, const char*> causes[] = {
      {700, "illegal_address"},    {709, "context_destroyed"},
      {710, "device_assert"},      {715, "illegal_instruction_on_device"},
      {716, "misaligned_address"}, {719, "launch_failure"},
      {999, "device_fault"}};
  for (const auto& [error, cause] : causes) {
    TurnFacts facts = compiled();
    facts.evaluation.emplace();
    facts.evaluation->outcome = Evaluation::Outcome::kDeviceFault;
    facts.evaluation->device_error = error;
    EXPECT_EQ(label_of(facts), expect(Label::kRuntimeError, cause));
  }
}

TEST(LabelOf, EachSignalHasItsCause) {
  const std::pair<int, const char*> causes[] = {{SIGSEGV, "segmentation_fault"},
                                                {SIGABRT, "abort"},
                                                {SIGILL, "illegal_instruction"},
                                                {SIGBUS, "bus_error"},
                                                {SIGFPE, "floating_point_exception"},
                                                {SIGSYS, "forbidden_system_call"},
                                                {SIGKILL, "killed"},
                                                {SIGUSR2, "other_signal"}};
  for (const auto& [signal, cause] : causes) {
    EXPECT_EQ(label_of_outcome(Evaluation::Outcome::kCrashed, signal),
              expect(Label::kRuntimeError, cause));
  }
}

LabelAndCause label_of_errors(std::vector<OutputError> errors) {
  TurnFacts facts = compiled();
  facts.evaluation.emplace();
  facts.evaluation->outcome = Evaluation::Outcome::kWrong;
  facts.evaluation->errors = std::move(errors);
  return label_of(facts);
}

TEST(LabelOf, NumericalErrorsAreToldApartByWhatTheOutputsHold) {
  OutputError right;
  OutputError wrong;
  wrong.wrong = 3;
  OutputError unwritten = wrong;
  unwritten.never_written = 1;
  OutputError nan = wrong;
  nan.not_finite = 1;
  EXPECT_EQ(label_of_errors({right, wrong}), expect(Label::kNumericalError, "wrong_values"));
  EXPECT_EQ(label_of_errors({wrong, unwritten}), expect(Label::kNumericalError, "not_written"));
  EXPECT_EQ(label_of_errors({unwritten, nan}), expect(Label::kNumericalError, "nan"));
}

TEST(LabelOf, FactsThatEndTooEarlyAreTheServicesFault) {
  TurnFacts facts = compiled();
  EXPECT_EQ(label_of(facts), expect(Label::kProfilingServiceTimeout, "service_failure"));
  facts.compilation.reset();
  EXPECT_EQ(label_of(facts), expect(Label::kProfilingServiceTimeout, "service_failure"));
}

}  // namespace
}  // namespace ptxbatch
