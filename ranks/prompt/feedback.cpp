#include "ranks/prompt/feedback.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "ranks/excerpt.h"

namespace ptxbatch {
namespace {

std::string number(double value, int digits = 4) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
  return buffer.data();
}

std::string plural(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string quoted(const std::string& text) {
  std::string block = "```\n" + text;
  if (!block.ends_with('\n')) block += '\n';
  return block + "```\n";
}

std::string source_name(const TargetSpec& target) {
  return target.name == "host" ? "kernel.cpp" : "kernel.cu";
}

std::string_view family_name(const std::string& target) {
  if (target == "host") return "packed FMA (vfmadd...ps/pd)";
  if (target == "hopper") return "wgmma, or TMA loads and stores (cp.async.bulk.tensor)";
  if (target == "blackwell") return "tcgen05";
  return "the target's";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

std::vector<std::int64_t> coordinates(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> result(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    result[i] = flat % shape[i];
    flat /= shape[i];
  }
  return result;
}

std::string axes_text(const Problem& problem) {
  std::string text;
  for (const auto& [name, size] : problem.axes) {
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  }
  return text;
}

/// What an error of the CUDA driver tends to mean here. Numbers as in cuda.h.
std::string device_fault_advice(int error) {
  switch (error) {
    case 700:
      return "An address outside of the tensors was accessed, or an input was written: inputs are "
             "read-only. Check indices, strides, tensor maps and bounds of the last tiles.\n";
    case 709:
      return "The CUDA context was destroyed: `run` must not reset the device.\n";
    case 714:
    case 718:
      return "The stack or the program counter of a thread was corrupted: look for writes beyond "
             "local arrays.\n";
    case 715:
      return "An instruction was not legal as it was used: check descriptors, operand shapes and "
             "the state that it needs (warpgroup, cluster, barrier).\n";
    case 716:
      return "An address was not aligned to the size of its access: vector loads need 16 bytes, "
             "TMA boxes in shared memory 128 bytes (1024 with a 128-byte swizzle), mbarriers 8.\n";
    case 717:
      return "A shared, local or global address was used with an instruction of another address "
             "space: convert generic pointers first.\n";
    case 719:
      return "The kernel trapped or misused the hardware: look for __trap, failed assertions, "
             "mbarrier counts and TMA or cluster addresses that cannot be.\n";
    default:
      return {};
  }
}

std::string signature(const Problem& problem) {
  std::string text;
  for (const Argument& input : problem.inputs) {
    text += (text.empty() ? "" : ", ") + std::string(input.is_scalar ? "double " : "TensorView ") +
            input.tensor.name;
  }
  for (const Tensor& output : problem.outputs) {
    text += (text.empty() ? "" : ", ") + std::string("TensorView ") + output.name;
  }
  return "void run(" + text + ")";
}

/// The texts for one turn. A member for each thing that may have happened.
class Feedback {
 public:
  Feedback(const TurnFacts& facts, const Problem& problem, const TargetSpec& target,
           const ProtocolSettings& protocol)
      : facts_(facts), problem_(problem), target_(target), protocol_(protocol) {}

  std::string text() const {
    if (facts_.extraction.outcome != Extraction::Outcome::kFound) return no_code();
    if (facts_.banned) return banned(*facts_.banned);
    if (!facts_.compilation) return service_failure("it was not compiled");
    if (facts_.compilation->outcome != Compilation::Outcome::kCompiled) {
      return not_compiled(*facts_.compilation);
    }
    return compiler_notes(*facts_.compilation) + after_compilation();
  }

 private:
  std::string no_code() const {
    const bool empty = facts_.extraction.outcome == Extraction::Outcome::kEmptyBlock;
    return (empty ? "The code block in your reply is empty.\n"
                  : "There is no code block in your reply, so there was nothing to compile.\n") +
           ("Give one complete `" + source_name(target_)) +
           "` in one ```cpp block; the last such block of the reply is taken.\n";
  }

  std::string banned(const BannedUse& use) const {
    return "Your code uses " + use.name + ", which is banned (" + source_name(target_) + ", line " +
           std::to_string(use.line) + "):\n\n" + quoted(use.excerpt) +
           "\nIt was not compiled. Write the computation yourself, without library kernels, other "
           "processes or dynamic loading.\n";
  }

  std::string not_compiled(const Compilation& compilation) const {
    if (compilation.outcome == Compilation::Outcome::kTimedOut) {
      return "Compiling " + source_name(target_) + " was stopped after " +
             number(compilation.seconds, 3) +
             " s: that is too long. Use fewer template instantiations and less unrolling.\n";
    }
    return source_name(target_) + " does not compile:\n\n" + quoted(compilation.output) +
           "\nCorrect it and give the complete file again.\n";
  }

  // ptxas -v on GPUs, warnings on the host: in front of whatever came afterwards.
  static std::string compiler_notes(const Compilation& compilation) {
    if (compilation.output.find_first_not_of(" \t\r\n") == std::string::npos) return {};
    return "Compiler output:\n\n" + quoted(compilation.output) + "\n";
  }

  std::string after_compilation() const {
    if (sanitizer_decides(facts_)) return sanitized(*facts_.sanitization);
    if (facts_.evaluation) return evaluated(*facts_.evaluation);
    return service_failure("it was not run");
  }

  std::string sanitized(const Sanitization& sanitization) const {
    switch (sanitization.outcome) {
      case Sanitization::Outcome::kFault:
        return fault_before_report() + "compute-sanitizer found a fault in the kernel:\n\n" +
               quoted(sanitization.report) + "\nCorrect it and give the complete file again.\n";
      case Sanitization::Outcome::kTimedOut:
        return "Under compute-sanitizer (" + sanitization.report +
               ") the kernel did not end within its time (" + number(sanitization.seconds, 3) +
               " s). It may hang, or do far more work than needed.\n";
      case Sanitization::Outcome::kToolFailed:
        return service_failure(sanitization.report);
      case Sanitization::Outcome::kNotRun:
      case Sanitization::Outcome::kClean:
        break;
    }
    return service_failure("it was not run");
  }

  // What happened without the sanitizer, when that was a fault as well.
  std::string fault_before_report() const {
    if (!facts_.evaluation || facts_.evaluation->outcome != Evaluation::Outcome::kDeviceFault) {
      return {};
    }
    return evaluated(*facts_.evaluation) + "\n";
  }

  std::string evaluated(const Evaluation& evaluation) const {
    using Outcome = Evaluation::Outcome;
    switch (evaluation.outcome) {
      case Outcome::kCorrect:
        return correct(evaluation);
      case Outcome::kWrong:
        return wrong(evaluation);
      case Outcome::kWrongInterface:
        return "`run` could not be called" + detail(evaluation) + ".\nExport `" +
               signature(problem_) + "` with TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, ...).\n";
      case Outcome::kRaised:
        return "`run` threw an exception" + detail(evaluation) + ".\n" + where(evaluation);
      case Outcome::kCrashed:
        return crashed(evaluation);
      case Outcome::kExited:
        return "The process ended with exit code " + std::to_string(evaluation.exit_code) +
               " inside `run`, which must return.\n" + where(evaluation);
      case Outcome::kTimedOut:
        return "The kernel did not end within its time" + detail(evaluation) + ".\n" +
               where(evaluation) +
               "It may hang, or be far too slow: look for loops that never end.\n";
      case Outcome::kTimingViolation:
        return "The measured times are not valid" + detail(evaluation) +
               ". All work of a call must be done when `run` returns.\n" + where(evaluation);
      case Outcome::kOverrun:
        return "Memory in front of an output was overwritten" + detail(evaluation) +
               ". Check the index computation: no write may leave the outputs.\n" +
               where(evaluation);
      case Outcome::kDeviceFault:
        return "The kernel failed on the GPU" + detail(evaluation) + ".\n" +
               device_fault_advice(evaluation.device_error) + where(evaluation) + axes_line();
      case Outcome::kServiceFailure:
        return service_failure(evaluation.detail);
    }
    return service_failure(evaluation.detail);
  }

  std::string crashed(const Evaluation& evaluation) const {
    const char* name = ::sigdescr_np(evaluation.signal);
    std::string text = "The kernel crashed: " + std::string(name != nullptr ? name : "signal") +
                       " (signal " + std::to_string(evaluation.signal) + ")" + detail(evaluation);
    if (!evaluation.fault_address_kind.empty()) {
      text += "; the faulting access was at: " + evaluation.fault_address_kind;
    }
    return text + ".\n" + where(evaluation) + axes_line();
  }

  std::string wrong(const Evaluation& evaluation) const {
    std::string text = "The result is wrong" + detail(evaluation) + ".\n" + where(evaluation);
    for (const OutputError& error : evaluation.errors) text += output_line(error);
    text += axes_line();
    return text + "An element is wrong if its absolute error exceeds " +
           number(protocol_.abs_tolerance) + " and its relative error exceeds " +
           number(protocol_.rel_tolerance) + ", or if it is NaN or Inf.\n";
  }

  std::string output_line(const OutputError& error) const {
    const auto output =
        std::find_if(problem_.outputs.begin(), problem_.outputs.end(),
                     [&](const Tensor& tensor) { return tensor.name == error.output; });
    const bool known = output != problem_.outputs.end();
    std::string text = "- output `" + error.output + "`";
    if (known) text += " " + shape_text(output->shape);
    if (error.wrong == 0) return text + ": all " + plural(error.elements, "element") + " right\n";
    text += ": " + std::to_string(error.wrong) + " of " + plural(error.elements, "element") +
            " wrong; max abs error " + number(error.max_abs) + ", max rel error " +
            number(error.max_rel);
    if (error.first_wrong >= 0) {
      text += "; the first wrong one is at " +
              (known ? shape_text(coordinates(error.first_wrong, output->shape))
                     : "flat index " + std::to_string(error.first_wrong));
    }
    if (error.not_finite > 0) text += "; " + plural(error.not_finite, "NaN or Inf value");
    if (error.never_written > 0) {
      text += "; " + plural(error.never_written, "element") + " never written";
    }
    return text + "\n";
  }

  std::string correct(const Evaluation& evaluation) const {
    const bool paired = protocol_.speedup == "paired";
    const double speedup = paired ? evaluation.paired_speedup : evaluation.speedup;
    std::string text = "Correct. Speedup " + number(speedup) + "x over the reference on " +
                       target_.name + ": " + number(evaluation.candidate_latency_ms) +
                       " ms against " + number(evaluation.reference_latency_ms) + " ms.\n";
    text += missing_instructions();
    text += "The goal is a speedup of " + number(protocol_.target_speedup) +
            "x. Keep optimizing, and give the complete file again.\n";
    return text;
  }

  std::string missing_instructions() const {
    const std::string family(family_name(target_.name));
    if (facts_.scan && facts_.scan->succeeded && facts_.scan->instructions.empty()) {
      return "Warning: the compiled code holds none of the target's instructions: " + family +
             ".\n";
    }
    if (facts_.evidence && facts_.evidence->state == TargetInstruction::kNotExecuted) {
      return "Warning: the target's instructions (" + family +
             ") are in the compiled code but were never executed.\n";
    }
    return {};
  }

  static std::string service_failure(const std::string& why) {
    return "Your code could not be judged, for reasons that are not its own" +
           (why.empty() ? std::string() : ": " + why) +
           ".\nGive the complete file again, improved if you see how.\n";
  }

  static std::string detail(const Evaluation& evaluation) {
    std::string_view text = evaluation.detail;
    while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.remove_suffix(1);
    return text.empty() ? std::string() : ": " + std::string(text);
  }

  static std::string where(const Evaluation& evaluation) {
    if (evaluation.phase.empty()) return {};
    std::string text = "This was seen in the phase \"" + evaluation.phase + "\"";
    if (evaluation.phase == "load") return text + ", before `run` was called.\n";
    return text + ", trial " + std::to_string(evaluation.trial + 1) + ", after " +
           plural(evaluation.call, "finished call") + " of `run`.\n";
  }

  std::string axes_line() const {
    return problem_.axes.empty() ? std::string() : "Axes: " + axes_text(problem_) + ".\n";
  }

  const TurnFacts& facts_;
  const Problem& problem_;
  const TargetSpec& target_;
  const ProtocolSettings& protocol_;
};

}  // namespace

std::string make_feedback(const TurnFacts& facts, const Problem& problem, const TargetSpec& target,
                          const ProtocolSettings& protocol, int max_tokens) {
  const std::size_t max_bytes =
      static_cast<std::size_t>(std::max(max_tokens, 0)) * kCharactersPerToken;
  return head_and_tail(Feedback(facts, problem, target, protocol).text(), max_bytes);
}

}  // namespace ptxbatch
