#include "tests/support/synthetic_run.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "common/hash.h"

namespace ptxbatch {
namespace {

constexpr int kTurns = 8;
constexpr double kTargetSpeedup = 1.2;
constexpr double kStart_s = 1'800'000'000;

/// SplitMix64: small, and the same on every machine (the standard distributions are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

struct Outcome {
  Label label;
  const char* cause;
  std::uint64_t published_turns;  // of 13,674 (protocol of the paper, published data)
};
constexpr std::array<Outcome, kLabelCount> kOutcomes = {{
    {Label::kCorrect, "correct", 1894},
    {Label::kNumericalError, "wrong_numbers", 2482},
    {Label::kCompilationError, "compile_error", 3856},
    {Label::kRuntimeError, "segmentation_fault", 3407},
    {Label::kKernelExecutionTimeout, "evaluation_timeout", 1714},
    {Label::kSanitizeTimeout, "sanitize_timeout", 1},
    {Label::kProfilingServiceTimeout, "service_failure", 6},
    {Label::kExtractionError, "no_code_block", 264},
    {Label::kOtherError, "banned_library", 50},
}};
constexpr std::uint64_t kPublishedTurns = 13674;

const Outcome& draw_outcome(Random& random) {
  std::uint64_t ticket = random.below(kPublishedTurns);
  for (const Outcome& outcome : kOutcomes) {
    if (ticket < outcome.published_turns) return outcome;
    ticket -= outcome.published_turns;
  }
  return kOutcomes.back();
}

std::string lines(const char* line, std::uint64_t count, std::uint64_t number) {
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) {
    text += line + std::to_string((number + i * i) % 1000) + ";\n";
  }
  return text;
}

std::vector<TimingRecord> draw_timings(Random& random, double candidate_ms, double reference_ms) {
  constexpr int kTrials = 3;
  constexpr int kBlocks = 10;
  constexpr int kSamplesPerBlock = 10;
  std::vector<TimingRecord> timings;
  for (int block = 0; block < kTrials * kBlocks; ++block) {
    TimingRecord& timing = timings.emplace_back();
    timing.trial = block / kBlocks;
    timing.block = block % kBlocks;
    timing.side = block % 2 == 0 ? TimingRecord::Side::kReference : TimingRecord::Side::kCandidate;
    const double median_ms = block % 2 == 0 ? reference_ms : candidate_ms;
    for (int i = 0; i < kSamplesPerBlock; ++i) {
      timing.samples_ms.push_back(median_ms * (1 + 0.02 * random.uniform()));
    }
  }
  return timings;
}

std::vector<InstructionRecord> draw_instructions(Random& random, bool executed) {
  std::vector<InstructionRecord> instructions(4 + random.below(12));
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    instructions[i] = {
        "run",    0x1000 + 6 * i,   "vfmadd231ps %ymm" + std::to_string(i % 16) + ",%ymm1,%ymm2",
        executed, executed ? 1 : 0, executed ? 1 : 0};
  }
  return instructions;
}

/// Writes one trajectory after the other, turn by turn.
class Generator {
 public:
  Generator(const SyntheticRun& run, const std::function<Status(Record&&)>& visit)
      : run_(run), visit_(visit), random_(run.seed) {}

  Status all() {
    ExperimentRecord experiment = synthetic_experiment(run_);
    const auto trajectories = static_cast<std::int32_t>(experiment.trajectories.size());
    if (auto done = visit_(std::move(experiment)); !done) return done;
    if (auto done = visit_(environment()); !done) return done;
    if (auto done = visit_(EventRecord{kStart_s, 0, 0, "started", "1 rank"}); !done) return done;
    if (auto done = visit_(PromptRecord{sha256_hex(kPrompt), kPrompt}); !done) return done;
    for (std::int32_t index = 0; index < trajectories && turns_left_ > 0; ++index) {
      if (auto done = trajectory(index); !done) return done;
    }
    return {};
  }

 private:
  static constexpr const char* kPrompt = R"([{"role":"user","content":"Write a GEMM."}])";

  static EnvironmentRecord environment() {
    EnvironmentRecord record;
    record.rank = 1;
    record.host = "n0";
    record.target = "host";
    record.device_name = "a processor, core 1";
    record.device_id = "n0 core 1";
    record.libraries = "OpenBLAS 0.3.21; g++ 12.2.0";
    record.program_version = "0.1.0";
    record.git_commit = "0123456789ab";
    record.started_at_s = kStart_s;
    return record;
  }

  Status trajectory(std::int32_t index) {
    for (std::int32_t turn = 0; turn < kTurns; ++turn) {
      if (turns_left_ == 0) return {};  // cut short, as a stopped run is
      --turns_left_;
      TurnRecord record = draw_turn(index, turn);
      const bool reached = record.speedup >= kTargetSpeedup;
      if (run_.with_texts) {
        if (auto done = visit_(reply_to(record)); !done) return done;
      }
      if (auto done = visit_(std::move(record)); !done) return done;
      if (reached) return visit_(TrajectoryEndRecord{index, TrajectoryEnd::kTargetReached, {}});
    }
    return visit_(TrajectoryEndRecord{index, TrajectoryEnd::kTurnsDone, {}});
  }

  TurnRecord draw_turn(std::int32_t trajectory, std::int32_t turn) {
    const Outcome& outcome = draw_outcome(random_);
    TurnRecord record;
    record.trajectory = trajectory;
    record.turn = turn;
    record.label = outcome.label;
    record.cause = outcome.cause;
    record.input_seed = random_.next();
    record.reasoning_tokens = static_cast<std::int64_t>(random_.below(60'000));
    record.rank = 1;
    record.finished_at_s = kStart_s + 60 * ++turns_made_;
    record.stages = {30 * random_.uniform(), random_.uniform(), 0.1, 0, 2 * random_.uniform(), 0.2,
                     random_.uniform()};
    if (outcome.label == Label::kCorrect) make_correct(record);
    if (run_.with_texts) add_texts(record);
    return record;
  }

  void make_correct(TurnRecord& record) {
    record.reference_latency_ms = 2.5 + 0.1 * random_.uniform();
    record.speedup = 1.25 * random_.uniform() * random_.uniform();
    record.paired_speedup = record.speedup * (0.99 + 0.02 * random_.uniform());
    record.candidate_latency_ms = record.reference_latency_ms / std::max(record.speedup, 1e-3);
    record.max_abs_error = 0.01 * random_.uniform();
    record.max_rel_error = random_.uniform();
    record.rms_rel_error = 0.001 * random_.uniform();
    record.matching_share = 1;
    const std::uint64_t ticket = random_.below(100);  // some 76 % present in the published data
    record.target_instruction = ticket < 76   ? TargetInstruction::kPresent
                                : ticket < 94 ? TargetInstruction::kAbsent
                                : ticket < 98 ? TargetInstruction::kNotExecuted
                                              : TargetInstruction::kUnknown;
    if (record.target_instruction == TargetInstruction::kPresent) {
      record.flop_coverage = random_.uniform();
    }
  }

  void add_texts(TurnRecord& record) {
    const bool has_source = record.label != Label::kExtractionError;
    if (has_source) {
      record.source = lines("  accumulator += a[i] * b[i] + ", 150, random_.below(1000));
      record.source_sha256 = sha256_hex(record.source);
    }
    if (record.label == Label::kCompilationError) {
      record.compiler_output =
          lines("kernel.cu:12:3: error: no such name ", 30, random_.below(900));
    }
    record.feedback = lines("The outcome of this turn: ", 10, random_.below(1000));
    if (record.label != Label::kCorrect) return;
    record.timings =
        draw_timings(random_, record.candidate_latency_ms, record.reference_latency_ms);
    const bool in_binary = record.target_instruction == TargetInstruction::kPresent ||
                           record.target_instruction == TargetInstruction::kNotExecuted;
    if (in_binary) {
      record.instructions =
          draw_instructions(random_, record.target_instruction == TargetInstruction::kPresent);
    }
  }

  ReplyRecord reply_to(const TurnRecord& turn) {
    ReplyRecord reply;
    reply.trajectory = turn.trajectory;
    reply.turn = turn.turn;
    reply.request_sha256 = sha256_hex(std::to_string(random_.next()));
    reply.prompt_sha256 = sha256_hex(kPrompt);
    reply.text = "Here is the kernel.\n```cpp\n" + turn.source + "```\n";
    reply.reasoning = lines("Consider tile ", 40, random_.below(1000));
    reply.model_returned = "model-2026";
    reply.response_id = "response-" + std::to_string(random_.below(1'000'000));
    reply.prompt_tokens = static_cast<std::int64_t>(random_.below(100'000));
    reply.completion_tokens = turn.reasoning_tokens + 4000;
    reply.reasoning_tokens = turn.reasoning_tokens;
    reply.latency_s = turn.stages.generate;
    reply.cost_usd = 1e-5 * static_cast<double>(reply.completion_tokens);
    return reply;
  }

  const SyntheticRun& run_;
  const std::function<Status(Record&&)>& visit_;
  Random random_;
  std::int64_t turns_left_ = run_.turns;
  double turns_made_ = 0;
};

PlannedTrajectory planned(std::int32_t index) {
  constexpr std::array<const char*, 2> kModels = {"model-a", "model-b"};
  constexpr std::array<const char*, 2> kProblems = {"GEMM", "MHA-Fwd"};
  constexpr std::array<const char*, 3> kTags = {"base", "multicast", "warp-specialization"};
  constexpr int kReplicas = 4;
  const std::int32_t in_cell = index % (3 * kReplicas);
  const std::int32_t cell = index / (3 * kReplicas);
  PlannedTrajectory trajectory;
  trajectory.index = index;
  trajectory.id = "exp_" + std::string(in_cell < 10 ? "00" : "0") + std::to_string(in_cell);
  trajectory.model = kModels[static_cast<std::size_t>(cell / 2 % 2)];
  trajectory.target = "host";
  trajectory.problem = kProblems[static_cast<std::size_t>(cell % 2)];
  trajectory.definition = cell % 2 == 0 ? "gemm_host" : "mha_host";
  trajectory.workload = cell % 2 == 0 ? "94920358-01a8-4c5b-9209-3103fd490e94"
                                      : "bc38b351-d595-451b-9153-8e225702e53b";
  trajectory.prompt_block = in_cell / kReplicas;
  trajectory.prompt_tag = kTags[static_cast<std::size_t>(trajectory.prompt_block)];
  trajectory.replica = in_cell % kReplicas;
  return trajectory;
}

}  // namespace

ExperimentRecord synthetic_experiment(const SyntheticRun& run) {
  ExperimentRecord experiment;
  experiment.name = "synthetic";
  experiment.text = "name = \"synthetic\"\n";
  experiment.program_version = "0.1.0";
  experiment.git_commit = "0123456789ab";
  experiment.started_at_s = kStart_s;
  experiment.turns = kTurns;
  experiment.target_speedup = kTargetSpeedup;
  // A few trajectories are cut short by the target: more are planned than full ones would need.
  const std::int64_t trajectories = run.turns / kTurns + run.turns / 200 + 2;
  for (std::int32_t index = 0; index < trajectories; ++index) {
    experiment.trajectories.push_back(planned(index));
  }
  return experiment;
}

RecordSource synthetic_records(const SyntheticRun& run) {
  return
      [run](const std::function<Status(Record &&)>& visit) { return Generator(run, visit).all(); };
}

}  // namespace ptxbatch
