#include "tests/results/example_records.h"

#include <cmath>
#include <limits>
#include <string>

#include "common/hash.h"

namespace ptxbatch {
namespace {

const std::string& weird_text() {
  static const std::string text = [] {
    std::string bytes = "caf\xC3\xA9 \xF0\x9F\x9A\x80 ";
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    bytes += std::string("\xFF\xFF\x30", 3);
    return bytes + '\0';
  }();
  return text;
}

ExperimentRecord experiment() {
  ExperimentRecord record;
  record.name = "paper H100";
  record.text = "name = \"paper H100\"  # caf\xC3\xA9\n";
  record.program_version = "0.1.0";
  record.git_commit = "abcdef012345-dirty";
  record.started_at_s = 1'790'000'000.125;
  record.turns = 8;
  record.target_speedup = 1.2;
  for (std::int32_t i = 0; i < 3; ++i) {
    record.trajectories.push_back({i, "exp_00" + std::to_string(i), "model", "host", "GEMM",
                                   "gemm_n7168_k5120", "94920358-01a8-4c5b-9209-3103fd490e94",
                                   "base", i / 2, i % 2});
  }
  return record;
}

TurnRecord turn() {
  TurnRecord record;
  record.trajectory = 2;
  record.turn = 1;
  record.label = Label::kCorrect;
  record.cause = "correct";
  record.feedback = "Correct. Keep optimizing.";
  record.source = "void run();";
  record.source_sha256 = sha256_hex(record.source);
  record.compiler_output = "kernel.cu:1: note: nothing";
  record.speedup = 0.75;
  record.paired_speedup = 0.755;
  record.candidate_latency_ms = 4;
  record.reference_latency_ms = 3;
  record.max_abs_error = 0.001;
  record.max_rel_error = 0.25;
  record.rms_rel_error = 1e-4;
  record.matching_share = 1;
  record.input_seed = std::numeric_limits<std::uint64_t>::max();
  record.target_instruction = TargetInstruction::kPresent;
  record.flop_coverage = 0.98;
  record.instructions = {{"run", 0x4010, "vfmadd231ps %ymm1,%ymm2,%ymm3", true, 1, 1},
                         {"run", 0x4016, "vfmadd231ps %ymm4,%ymm5,%ymm6", false, 0, 0}};
  record.timings = {{0, 0, TimingRecord::Side::kReference, {3.0, 3.25, 3.5}},
                    {0, 1, TimingRecord::Side::kCandidate, {4.0, 4.0625}}};
  record.readings = {{DeviceReading::Moment::kBeforeTiming, 1980, 3201, 41, 512.5, 0},
                     {DeviceReading::Moment::kAfterTiming, 1755, 3201, 55, 698.25, 4}};
  record.reference = "cuBLASLt 13.0.2, algorithm 66";
  record.stages = {1, 2, 3, 4, 5, 6, 7};
  record.reasoning_tokens = 4321;
  record.session = 1;
  record.rank = 2;
  record.finished_at_s = 1'790'000'100.5;
  record.measurement_reused = true;
  return record;
}

}  // namespace

std::vector<Record> example_records() {
  const std::string prompt = R"([{"role":"user","content":"Write a kernel."}])";
  return {experiment(),
          EnvironmentRecord{1, 2, "n0", "host", "Xeon core 1", "n0 core 1", "580.65",
                            "OpenBLAS 0.3.21; g++ 12.2.0", "0.1.0", "abcdef012345", 1'790'000'001},
          PromptRecord{sha256_hex(prompt), prompt},
          ReplyRecord{2,
                      1,
                      sha256_hex("request"),
                      sha256_hex(prompt),
                      "```cpp\nvoid run();\n```",
                      "Let me think.",
                      ReplyEnd::kTruncated,
                      "model-2026",
                      "response-1",
                      1000,
                      2000,
                      1500,
                      10,
                      12.5,
                      0.03125,
                      "model",
                      "fp_1",
                      3,
                      0.5,
                      true,
                      true},
          turn(),
          RequestRecord{2, 2, 1, sha256_hex("next request"), 1'790'000'020.25},
          EventRecord{1'790'000'050, 1, 2, "keeper_restarted", "signal 9"},
          TrajectoryEndRecord{2, TrajectoryEnd::kTargetReached, "done"}};
}

std::vector<Record> hard_records() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  ExperimentRecord planned = experiment();
  planned.name = weird_text();
  planned.text = weird_text();
  planned.git_commit = "";
  planned.trajectories[1].prompt_tag = weird_text();
  planned.trajectories[1].model = "";
  TurnRecord hard = turn();
  hard.label = Label::kSanitizeTimeout;
  hard.cause = weird_text();
  hard.feedback = weird_text() + "feedback";
  hard.source = weird_text();
  hard.compiler_output = weird_text();  // the same bytes as the source: stored once
  hard.speedup = kInfinity;
  hard.paired_speedup = -kInfinity;
  hard.max_abs_error = kNaN;
  hard.max_rel_error = std::numeric_limits<double>::denorm_min();
  hard.rms_rel_error = -0.0;
  hard.reasoning_tokens = std::numeric_limits<std::int64_t>::min();
  hard.instructions[0].function = weird_text();
  hard.instructions[0].address = std::numeric_limits<std::uint64_t>::max();
  hard.instructions[1].warp_executions = std::numeric_limits<std::int64_t>::max();
  hard.timings[0].samples_ms = {kNaN, kInfinity, std::numeric_limits<double>::max(), 0.1};
  hard.timings[1].samples_ms = {};
  TurnRecord bare;
  ReplyRecord reply;
  reply.text = weird_text();
  reply.reasoning = std::string("\0", 1);
  reply.model_returned = "\xFF";
  reply.response_id = std::string("a\0b", 3);
  reply.prompt_tokens = -1;
  EnvironmentRecord environment;
  environment.host = weird_text();
  return {planned,
          EventRecord{kInfinity, -1, -1, weird_text(), weird_text()},
          environment,
          reply,
          hard,
          TrajectoryEndRecord{1, TrajectoryEnd::kFailed, weird_text()},
          EventRecord{0, 0, 0, "", ""},
          PromptRecord{"", ""},
          bare,
          reply,
          hard,
          TrajectoryEndRecord{1, TrajectoryEnd::kTurnsDone, ""}};
}

RecordSource source_of(const std::vector<Record>& records) {
  return [&records](const std::function<Status(Record &&)>& visit) -> Status {
    for (Record record : records) {
      if (auto done = visit(std::move(record)); !done) return done;
    }
    return {};
  };
}

namespace {

bool same_number(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// Compares the two numbers and makes them equal, for the comparison of the rest.
bool settle(double& a, double& b) {
  const bool equal = same_number(a, b);
  a = b = 0;
  return equal;
}

bool same_turn(TurnRecord a, TurnRecord b) {
  bool equal = settle(a.speedup, b.speedup);
  equal = settle(a.paired_speedup, b.paired_speedup) && equal;
  equal = settle(a.max_abs_error, b.max_abs_error) && equal;
  equal = settle(a.rms_rel_error, b.rms_rel_error) && equal;
  if (a.timings.size() != b.timings.size()) return false;
  for (std::size_t i = 0; i < a.timings.size(); ++i) {
    auto& left = a.timings[i].samples_ms;
    auto& right = b.timings[i].samples_ms;
    if (left.size() != right.size()) return false;
    for (std::size_t j = 0; j < left.size(); ++j) equal = settle(left[j], right[j]) && equal;
  }
  return equal && a == b;
}

}  // namespace

bool same(const Record& a, const Record& b) {
  if (const auto* turn_a = std::get_if<TurnRecord>(&a)) {
    const auto* turn_b = std::get_if<TurnRecord>(&b);
    return turn_b != nullptr && same_turn(*turn_a, *turn_b);
  }
  return a == b;
}

bool same(const std::vector<Record>& a, const std::vector<Record>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace ptxbatch
