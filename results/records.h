// What a run leaves behind, as plain data: the plan, the environment of every rank, every model
// reply, every judged turn. The journal holds these records one by one, NAME.h5 holds them as
// tables (SCHEMA.md), and analysis/ reads nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptxbatch {

/// A turn's label: the paper's nine outcomes. The numbers are stored in results files.
enum class Label : std::int8_t {
  kCorrect = 0,
  kNumericalError = 1,
  kCompilationError = 2,
  kRuntimeError = 3,
  kKernelExecutionTimeout = 4,
  kSanitizeTimeout = 5,
  kProfilingServiceTimeout = 6,
  kExtractionError = 7,
  kOtherError = 8,
};
inline constexpr int kLabelCount = 9;
/// The paper's spelling: "Correct", "Numerical error", ...
std::string_view label_name(Label label);
std::optional<Label> label_from_name(std::string_view name);

/// Whether the target's instruction family did any work. Only kPresent counts as present; a turn
/// without a binary, or one that was not correct, is kNotExamined.
enum class TargetInstruction : std::int8_t {
  kNotExamined = 0,
  kAbsent = 1,       // not in the disassembly
  kNotExecuted = 2,  // in the disassembly, never executed under the real workload
  kPresent = 3,      // executed by at least one thread
  kUnknown = 4,      // the examination failed
};
inline constexpr int kTargetInstructionCount = 5;
std::string_view target_instruction_name(TargetInstruction state);

/// One line of the plan: model x target x problem x prompt tag x replica.
struct PlannedTrajectory {
  std::int32_t index = 0;  // unique in the experiment, in plan order
  std::string id;          // "exp_003": counts within (model, target, problem), prompt tag major
  std::string model;
  std::string target;      // "host", "hopper", "blackwell"
  std::string problem;     // short name as in tables: "GEMM"
  std::string definition;  // FlashInfer-Trace definition
  std::string workload;    // FlashInfer-Trace workload uuid
  std::string prompt_tag;
  std::int32_t prompt_block = 0;  // which of the prompt tags, from 0
  std::int32_t replica = 0;

  bool operator==(const PlannedTrajectory&) const = default;
};

/// The first record of every journal: what this run is.
struct ExperimentRecord {
  std::string name;
  std::string text;  // the experiment file, verbatim
  std::string program_version;
  std::string git_commit;
  double started_at_s = 0;  // Unix time
  std::int32_t turns = 0;   // turns of a trajectory at most
  double target_speedup = 0;
  std::vector<PlannedTrajectory> trajectories;

  bool operator==(const ExperimentRecord&) const = default;
};

/// Where a rank ran. `session` counts the starts of the run (0 first), so that a resumed run's
/// ranks stand beside the earlier ones.
struct EnvironmentRecord {
  std::int32_t session = 0;
  std::int32_t rank = 0;
  std::string host;
  std::string target;
  std::string device_name;  // "Intel(R) Xeon(R) ... core 1", "NVIDIA H200"
  std::string device_id;    // GPU UUID, or host name and core
  std::string driver;       // empty on the host target
  std::string libraries;  // "OpenBLAS 0.3.21; TVM-FFI 0.1.15; g++ 12.2.0", one "; "-separated list
  std::string program_version;
  std::string git_commit;
  double started_at_s = 0;

  bool operator==(const EnvironmentRecord&) const = default;
};

/// A prompt's text, once per distinct prompt.
struct PromptRecord {
  std::string sha256;  // of `text`
  std::string text;    // system and user part as a JSON array of {role, content}

  bool operator==(const PromptRecord&) const = default;
};

/// A request that is about to be sent: one whose reply never came may have been paid for.
struct RequestRecord {
  std::int32_t trajectory = 0;
  std::int32_t turn = 0;
  std::int32_t attempt = 1;
  std::string request_sha256;  // as in ReplyRecord
  double asked_at_s = 0;       // Unix time

  bool operator==(const RequestRecord&) const = default;
};

/// How a model's reply ended.
enum class ReplyEnd : std::int8_t {
  kComplete = 0,
  kTruncated = 1,
  kContextExhausted = 2,
  kRefused = 3
};

/// A whole model reply, journalled before it is used.
struct ReplyRecord {
  std::int32_t trajectory = 0;
  std::int32_t turn = 0;
  std::string request_sha256;  // of the messages and settings sent
  std::string prompt_sha256;   // of the PromptRecord the trajectory began with
  std::string text;            // the visible reply
  std::string reasoning;       // the model's reasoning where it is shown; may be empty
  ReplyEnd end = ReplyEnd::kComplete;
  std::string model_returned;
  std::string response_id;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cached_tokens = 0;
  double latency_s = 0;  // of the model, as recorded or measured
  double cost_usd = 0;   // as the provider says, else from the experiment's prices; 0: unknown
  std::string model_requested;
  std::string fingerprint;  // of the serving system, where the provider gives one
  std::int32_t attempts = 0;
  double first_text_s = 0;           // from sending to the first piece of text or reasoning
  bool usage_estimated = false;      // the provider counted no tokens
  bool reasoning_estimated = false;  // it counted none of reasoning_tokens

  bool operator==(const ReplyRecord&) const = default;
};

/// The samples of one timed block.
struct TimingRecord {
  enum class Side : std::int8_t { kReference = 0, kCandidate = 1 };
  std::int32_t trial = 0;
  // Order within the trial, alternating between the sides; -1: the reference timed alone, before
  // the first candidate of its workload.
  std::int32_t block = 0;
  Side side = Side::kCandidate;
  std::vector<double> samples_ms;

  bool operator==(const TimingRecord&) const = default;
};

/// A GPU's state as the driver reports it (NVML).
struct DeviceReading {
  enum class Moment : std::int8_t { kBeforeTiming = 0, kAfterTiming = 1 };
  Moment moment = Moment::kBeforeTiming;
  double sm_clock_mhz = 0;
  double memory_clock_mhz = 0;
  double temperature_c = 0;
  double power_w = 0;
  std::int64_t throttle_reasons = 0;  // NVML's bits; 0: none

  bool operator==(const DeviceReading&) const = default;
};

/// One instruction of the target family in the candidate's binary.
struct InstructionRecord {
  std::string function;
  std::uint64_t address = 0;  // offset in the function (GPU) or in the shared object (host)
  std::string text;           // the disassembled instruction
  bool executed = false;
  // Executions counted: warps and threads on a GPU; on the host 1 or 0, breakpoints see no more.
  std::int64_t warp_executions = 0;
  std::int64_t thread_executions = 0;

  bool operator==(const InstructionRecord&) const = default;
};

/// Seconds spent in each stage of a turn, waiting in queues excluded but for `queue_s`.
struct StageSeconds {
  double generate = 0;
  double compile = 0;
  double scan = 0;
  double sanitize = 0;
  double evaluate = 0;
  double evidence = 0;
  double queue = 0;

  bool operator==(const StageSeconds&) const = default;
};

/// One judged turn.
struct TurnRecord {
  std::int32_t trajectory = 0;
  std::int32_t turn = 0;  // from 0
  Label label = Label::kOtherError;
  // The cause within the label, as a stable tag: "segmentation_fault", "nan", "banned_library" ...
  std::string cause;
  std::string feedback;         // the text given to the model
  std::string source;           // the candidate; empty when none was found
  std::string source_sha256;    // empty when none was found
  std::string compiler_output;  // as the compiler gave it, capped
  double speedup = 0;  // the paper's: reference median / candidate median; 0 unless correct
  double paired_speedup =
      0;  // median over the timed calls, against the reference's blocks beside each
  double candidate_latency_ms = 0;
  double reference_latency_ms = 0;
  double max_abs_error = 0;
  double max_rel_error = 0;
  double rms_rel_error = 0;
  double matching_share = 0;  // of elements, all trials and outputs together
  std::uint64_t input_seed = 0;
  TargetInstruction target_instruction = TargetInstruction::kNotExamined;
  double flop_coverage = -1;  // -1: unknown
  std::vector<InstructionRecord> instructions;
  std::vector<TimingRecord> timings;
  std::vector<DeviceReading> readings;  // around the timed calls; none on the host
  std::string reference;                // library, version and algorithm that it was timed against
  StageSeconds stages;
  std::int64_t reasoning_tokens = 0;
  std::int32_t session = 0;
  std::int32_t rank = 0;
  double finished_at_s = 0;         // Unix time
  bool measurement_reused = false;  // the same candidate was measured before under these conditions

  bool operator==(const TurnRecord&) const = default;
};

/// Why a trajectory has no further turn.
enum class TrajectoryEnd : std::int8_t {
  kTurnsDone = 0,
  kTargetReached = 1,
  kContextExhausted = 2,
  kRepliesExhausted = 3,  // the recorded model has no further reply
  kFailed = 4,            // infrastructure; tried again when the run is started again
};
std::string_view trajectory_end_name(TrajectoryEnd end);

struct TrajectoryEndRecord {
  std::int32_t trajectory = 0;
  TrajectoryEnd end = TrajectoryEnd::kTurnsDone;
  std::string message;  // for kFailed: what failed and what to do

  bool operator==(const TrajectoryEndRecord&) const = default;
};

/// Something a reader of the results should know of: a keeper restarted, a rank lost, a stop.
struct EventRecord {
  double at_s = 0;  // Unix time
  std::int32_t session = 0;
  std::int32_t rank = 0;
  std::string kind;  // a stable tag: "started", "resumed", "keeper_restarted", "stopped"
  std::string message;

  bool operator==(const EventRecord&) const = default;
};

using Record = std::variant<ExperimentRecord, EnvironmentRecord, PromptRecord, RequestRecord,
                            ReplyRecord, TurnRecord, TrajectoryEndRecord, EventRecord>;

}  // namespace ptxbatch
