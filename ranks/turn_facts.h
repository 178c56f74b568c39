// What the stages of a turn found out, one struct a stage. Each is made once, by its stage; the
// label, the record and the feedback are derived from them (turn.h, prompt/feedback.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/records.h"

namespace ptxbatch {

/// extract: the candidate's source in a reply.
struct Extraction {
  enum class Outcome { kFound, kNoCodeBlock, kEmptyBlock };
  Outcome outcome = Outcome::kNoCodeBlock;
  std::string source;
};

/// bans: the first use of something that a candidate may not use.
struct BannedUse {
  std::string name;     // "cuBLAS", "dlopen"
  int line = 0;         // in the candidate
  std::string excerpt;  // that line
};

/// compile
struct Compilation {
  enum class Outcome { kCompiled, kFailed, kTimedOut };
  Outcome outcome = Outcome::kFailed;
  std::string binary;  // path of the shared object, kept by the compile cache
  std::string output;  // the compiler's, head and tail
  double seconds = 0;
  bool cached = false;
};

/// scan: instructions of the target's family in the disassembly.
struct StaticScan {
  bool succeeded = false;
  std::string failure;  // why not
  std::vector<InstructionRecord> instructions;
  double seconds = 0;
};

/// sanitize: a call under tools that look for faults; nothing on the host target.
struct Sanitization {
  enum class Outcome { kNotRun, kClean, kFault, kTimedOut, kToolFailed };
  Outcome outcome = Outcome::kNotRun;
  std::string report;
  double seconds = 0;
};

struct OutputError {
  std::string output;
  double max_abs = 0;
  double max_rel = 0;
  double rms_rel = 0;  // sqrt(sum (x-y)^2 / sum y^2)
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  std::int64_t not_finite = 0;
  std::int64_t never_written = 0;  // still hold the poison
  std::int64_t first_wrong = -1;   // flat index, row-major; -1: none
};

/// evaluate: correct? how fast?
struct Evaluation {
  enum class Outcome {
    kCorrect,
    kWrong,            // numbers
    kWrongInterface,   // no export `run`, or it rejected its arguments
    kRaised,           // a C++ exception came out of run
    kCrashed,          // a signal; `signal`
    kExited,           // the process ended inside run; `exit_code`
    kTimedOut,         // the candidate's calls took longer than the stage's budget
    kTimingViolation,  // claimed times and the rank's own clock do not fit
    kOverrun,          // canary in front of an output overwritten
    kDeviceFault,      // the GPU failed: illegal access, trap, launch that is not possible
    kServiceFailure,   // keeper or runner failed for reasons of ours
  };
  Outcome outcome = Outcome::kServiceFailure;
  std::string detail;  // one sentence of fact: the exception's text, the service's failure
  int signal = 0;
  int exit_code = 0;
  int device_error = 0;             // for kDeviceFault: CUDA's number
  std::string fault_address_kind;   // "input (read-only)", "just behind output C", "" when unknown
  std::string phase;                // "load", "correctness", "warm-up", "timing"
  int trial = 0;                    // where it ended
  int call = 0;                     // calls of run finished before that, in this trial
  std::vector<OutputError> errors;  // worst over the trials, one an output
  double candidate_latency_ms = 0;  // mean of the trials' medians
  double reference_latency_ms = 0;
  double speedup = 0;
  double paired_speedup = 0;
  std::vector<TimingRecord> timings;
  std::vector<DeviceReading> readings;
  double reference_drift = 0;  // share by which it wandered within a trial, in those that count
  double reference_shift = 0;  // share by which it differs from when it was first timed
  std::string reference;       // what it was timed against
  double seconds = 0;
};

/// evidence: did the target's instructions run?
struct Evidence {
  TargetInstruction state = TargetInstruction::kNotExamined;
  std::string failure;  // for kUnknown
  std::vector<InstructionRecord> instructions;
  double flop_coverage = -1;
  double seconds = 0;
};

struct TurnFacts {
  Extraction extraction;
  std::optional<BannedUse> banned;
  std::optional<Compilation> compilation;
  std::optional<StaticScan> scan;
  std::optional<Sanitization> sanitization;
  std::optional<Evaluation> evaluation;
  std::optional<Evidence> evidence;
};

/// The turn's label and cause: a pure function of the facts.
struct LabelAndCause {
  Label label;
  std::string cause;
};
LabelAndCause label_of(const TurnFacts& facts);

/// Whether the turn is what the sanitizer made of it. A fault always is the turn's; that the
/// sanitizer itself came to no end matters only for a candidate that is right otherwise.
bool sanitizer_decides(const TurnFacts& facts);

}  // namespace ptxbatch
