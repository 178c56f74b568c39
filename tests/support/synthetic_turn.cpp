#include "tests/support/synthetic_turn.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "common/hash.h"

namespace ptxbatch {
namespace {

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

std::string lines(const char* line, std::uint64_t count, std::uint64_t number) {
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) {
    text += line + std::to_string((number + i * i) % 1000) + ";\n";
  }
  return text;
}

std::vector<TimingRecord> draw_timings(SyntheticRandom& random, double candidate_ms,
                                       double reference_ms) {
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

std::vector<InstructionRecord> draw_instructions(SyntheticRandom& random, bool executed) {
  std::vector<InstructionRecord> instructions(4 + random.below(12));
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    instructions[i] = {
        "run",    0x1000 + 6 * i,   "vfmadd231ps %ymm" + std::to_string(i % 16) + ",%ymm1,%ymm2",
        executed, executed ? 1 : 0, executed ? 1 : 0};
  }
  return instructions;
}

void make_correct(SyntheticRandom& random, TurnRecord& record) {
  record.reference_latency_ms = 2.5 + 0.1 * random.uniform();
  record.speedup = 1.25 * random.uniform() * random.uniform();
  record.paired_speedup = record.speedup * (0.99 + 0.02 * random.uniform());
  record.candidate_latency_ms = record.reference_latency_ms / std::max(record.speedup, 1e-3);
  record.max_abs_error = 0.01 * random.uniform();
  record.max_rel_error = random.uniform();
  record.rms_rel_error = 0.001 * random.uniform();
  record.matching_share = 1;
  const std::uint64_t ticket = random.below(100);  // some 76 % present in the published data
  record.target_instruction = ticket < 76   ? TargetInstruction::kPresent
                              : ticket < 94 ? TargetInstruction::kAbsent
                              : ticket < 98 ? TargetInstruction::kNotExecuted
                                            : TargetInstruction::kUnknown;
  if (record.target_instruction == TargetInstruction::kPresent) {
    record.flop_coverage = random.uniform();
  }
}

void add_texts(SyntheticRandom& random, TurnRecord& record) {
  const bool has_source = record.label != Label::kExtractionError;
  if (has_source) {
    record.source = lines("  accumulator += a[i] * b[i] + ", 150, random.below(1000));
    record.source_sha256 = sha256_hex(record.source);
  }
  if (record.label == Label::kCompilationError) {
    record.compiler_output = lines("kernel.cu:12:3: error: no such name ", 30, random.below(900));
  }
  record.feedback = lines("The outcome of this turn: ", 10, random.below(1000));
  if (record.label != Label::kCorrect) return;
  record.timings = draw_timings(random, record.candidate_latency_ms, record.reference_latency_ms);
  const bool in_binary = record.target_instruction == TargetInstruction::kPresent ||
                         record.target_instruction == TargetInstruction::kNotExecuted;
  if (in_binary) {
    record.instructions =
        draw_instructions(random, record.target_instruction == TargetInstruction::kPresent);
  }
}

}  // namespace

Label draw_label(SyntheticRandom& random) {
  std::uint64_t ticket = random.below(kPublishedTurns);
  for (const Outcome& outcome : kOutcomes) {
    if (ticket < outcome.published_turns) return outcome.label;
    ticket -= outcome.published_turns;
  }
  return kOutcomes.back().label;
}

TurnRecord synthetic_turn(SyntheticRandom& random, std::int32_t trajectory, std::int32_t turn,
                          Label label, bool with_texts) {
  TurnRecord record;
  record.trajectory = trajectory;
  record.turn = turn;
  record.label = label;
  record.cause = kOutcomes.at(static_cast<std::size_t>(label)).cause;
  record.input_seed = random.next();
  record.reasoning_tokens = static_cast<std::int64_t>(random.below(60'000));
  record.rank = 1;
  record.stages = {30 * random.uniform(), random.uniform(), 0.1, 0, 2 * random.uniform(), 0.2,
                   random.uniform()};
  if (label == Label::kCorrect) make_correct(random, record);
  if (with_texts) add_texts(random, record);
  return record;
}

ReplyRecord synthetic_reply(SyntheticRandom& random, const TurnRecord& turn) {
  ReplyRecord reply;
  reply.trajectory = turn.trajectory;
  reply.turn = turn.turn;
  reply.request_sha256 = sha256_hex(std::to_string(random.next()));
  reply.prompt_sha256 = sha256_hex(kSyntheticPrompt);
  reply.text = "Here is the kernel.\n```cpp\n" + turn.source + "```\n";
  reply.reasoning = lines("Consider tile ", 40, random.below(1000));
  reply.model_returned = "model-2026";
  reply.response_id = "response-" + std::to_string(random.below(1'000'000));
  reply.prompt_tokens = static_cast<std::int64_t>(random.below(100'000));
  reply.completion_tokens = turn.reasoning_tokens + 4000;
  reply.reasoning_tokens = turn.reasoning_tokens;
  reply.latency_s = turn.stages.generate;
  reply.cost_usd = 1e-5 * static_cast<double>(reply.completion_tokens);
  return reply;
}

}  // namespace ptxbatch
