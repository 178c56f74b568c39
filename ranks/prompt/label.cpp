// A turn's label and cause from its facts. The causes are stored in results files: they are tags
// that stay the same.
#include <algorithm>
#include <csignal>

#include "ranks/turn_facts.h"

namespace ptxbatch {
namespace {

std::string signal_cause(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation_fault";
    case SIGABRT:
      return "abort";
    case SIGILL:
      return "illegal_instruction";
    case SIGFPE:
      return "floating_point_exception";
    case SIGBUS:
      return "bus_error";
    case SIGSYS:
      return "forbidden_system_call";
    case SIGKILL:
      return "killed";
    default:
      return "other_signal";
  }
}

// The numbers are the CUDA driver's (cuda.h, CUresult).
std::string device_fault_cause(int error) {
  switch (error) {
    case 700:
      return "illegal_address";
    case 701:
      return "launch_out_of_resources";
    case 702:
      return "launch_timeout";
    case 709:
      return "context_destroyed";
    case 710:
      return "device_assert";
    case 714:
      return "hardware_stack_error";
    case 715:
      return "illegal_instruction_on_device";
    case 716:
      return "misaligned_address";
    case 717:
      return "invalid_address_space";
    case 718:
      return "invalid_program_counter";
    case 719:
      return "launch_failure";
    default:
      return "device_fault";
  }
}

std::string numerical_cause(const std::vector<OutputError>& errors) {
  const auto any = [&](auto count) {
    return std::any_of(errors.begin(), errors.end(),
                       [&](const OutputError& error) { return error.*count > 0; });
  };
  if (any(&OutputError::not_finite)) return "nan";
  if (any(&OutputError::never_written)) return "not_written";
  return "wrong_values";
}

LabelAndCause label_of(const Evaluation& evaluation) {
  using Outcome = Evaluation::Outcome;
  switch (evaluation.outcome) {
    case Outcome::kCorrect:
      return {Label::kCorrect, "correct"};
    case Outcome::kWrong:
      return {Label::kNumericalError, numerical_cause(evaluation.errors)};
    case Outcome::kWrongInterface:
      return {Label::kOtherError, "wrong_interface"};
    case Outcome::kRaised:
      return {Label::kRuntimeError, "exception"};
    case Outcome::kCrashed:
      return {Label::kRuntimeError, signal_cause(evaluation.signal)};
    case Outcome::kExited:
      return {Label::kRuntimeError, "exited"};
    case Outcome::kTimedOut:
      return {Label::kKernelExecutionTimeout, "kernel_timeout"};
    case Outcome::kTimingViolation:
      return {Label::kOtherError, "timing_violation"};
    case Outcome::kOverrun:
      return {Label::kRuntimeError, "overrun"};
    case Outcome::kDeviceFault:
      return {Label::kRuntimeError, device_fault_cause(evaluation.device_error)};
    case Outcome::kServiceFailure:
      break;
  }
  return {Label::kProfilingServiceTimeout, "service_failure"};
}

LabelAndCause label_of(const Sanitization& sanitization) {
  switch (sanitization.outcome) {
    case Sanitization::Outcome::kFault:
      return {Label::kRuntimeError, "sanitizer_fault"};
    case Sanitization::Outcome::kTimedOut:
      return {Label::kSanitizeTimeout, "sanitizer_timeout"};
    case Sanitization::Outcome::kToolFailed:
      return {Label::kProfilingServiceTimeout, "sanitizer_failed"};
    case Sanitization::Outcome::kNotRun:
    case Sanitization::Outcome::kClean:
      break;
  }
  return {Label::kProfilingServiceTimeout, "service_failure"};  // it went on, and nothing came
}

}  // namespace

bool sanitizer_decides(const TurnFacts& facts) {
  if (!facts.sanitization) return false;
  switch (facts.sanitization->outcome) {
    case Sanitization::Outcome::kFault:
      return true;
    case Sanitization::Outcome::kTimedOut:
    case Sanitization::Outcome::kToolFailed:
      return !facts.evaluation || facts.evaluation->outcome == Evaluation::Outcome::kCorrect;
    case Sanitization::Outcome::kNotRun:
    case Sanitization::Outcome::kClean:
      break;
  }
  return false;
}

LabelAndCause label_of(const TurnFacts& facts) {
  if (facts.extraction.outcome == Extraction::Outcome::kNoCodeBlock) {
    return {Label::kExtractionError, "no_code_block"};
  }
  if (facts.extraction.outcome == Extraction::Outcome::kEmptyBlock) {
    return {Label::kExtractionError, "empty_code_block"};
  }
  if (facts.banned) return {Label::kOtherError, "banned_use"};
  if (facts.compilation && facts.compilation->outcome == Compilation::Outcome::kFailed) {
    return {Label::kCompilationError, "compile_error"};
  }
  if (facts.compilation && facts.compilation->outcome == Compilation::Outcome::kTimedOut) {
    return {Label::kCompilationError, "compile_timeout"};
  }
  if (sanitizer_decides(facts)) return label_of(*facts.sanitization);
  if (facts.evaluation) return label_of(*facts.evaluation);
  return {Label::kProfilingServiceTimeout, "service_failure"};
}

}  // namespace ptxbatch
