// Results files for tests of what is made from whole records.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "common/file_system.h"
#include "results/results_file.h"
#include "tests/support/synthetic_run.h"

namespace ptxbatch::testing {

inline void keep(const Status& written) {
  if (!written) throw std::runtime_error(describe(written.error()));
}

/// A synthetic run of so many turns as `path`.
inline void write_synthetic(const std::string& path, std::int64_t turns) {
  SyntheticRun run;
  run.turns = turns;
  keep(write_results_file(real_file_system(), path, synthetic_records(run), true));
}

/// These records as `path`.
inline void write_records(const std::string& path, const std::vector<Record>& records) {
  const RecordSource source = [&records](const std::function<Status(Record &&)>& visit) -> Status {
    for (Record record : records) {
      if (auto done = visit(std::move(record)); !done) return done;
    }
    return {};
  };
  keep(write_results_file(real_file_system(), path, source, true));
}

/// A run of one trajectory on the host with the shipped small GEMM, to be changed at will.
struct SmallRun {
  ExperimentRecord experiment;
  EnvironmentRecord environment;
  PromptRecord prompt{"p1", R"([{"role":"system","content":"You write kernels."},)"
                            R"({"role":"user","content":"Write a GEMM."}])"};
  std::vector<ReplyRecord> replies;
  std::vector<TurnRecord> turns;

  SmallRun() {
    experiment.name = "small";
    experiment.text = "name = \"small\"\n";
    experiment.turns = 3;
    PlannedTrajectory planned;
    planned.id = "exp_000";
    planned.model = "m/1";
    planned.target = "host";
    planned.problem = "GEMM";
    planned.definition = "gemm_f32_n192_k160";
    planned.workload = "7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41";
    planned.prompt_tag = "base";
    experiment.trajectories = {planned};
    environment.rank = 1;
    environment.host = "n0";
    environment.target = "host";
    environment.device_name = "a processor";
    environment.libraries = "OpenBLAS 0.3.21; g++ 12.2.0";
    add_turn(Label::kCompilationError, "int x = ;", "error: expected");
    add_turn(Label::kCorrect, "void run() {}", "Correct.");
    turns.back().speedup = 0.5;
    turns.back().candidate_latency_ms = 2;
    turns.back().reference_latency_ms = 1;
    turns.back().target_instruction = TargetInstruction::kPresent;
    turns.back().timings = {{0, 0, TimingRecord::Side::kReference, {1, 1.5, 1}},
                            {0, 1, TimingRecord::Side::kCandidate, {2, 2.5, 2}}};
    turns.back().readings = {{DeviceReading::Moment::kBeforeTiming, 1980, 2619, 41, 350.5, 0},
                             {DeviceReading::Moment::kAfterTiming, 1755, 2619, 52, 640.0, 4}};
    turns.back().instructions = {{"run", 64, "vfmadd231ps", true, 1, 1}};
  }

  void add_turn(Label label, const std::string& source, const std::string& feedback) {
    ReplyRecord reply;
    reply.turn = static_cast<std::int32_t>(replies.size());
    reply.prompt_sha256 = prompt.sha256;
    reply.text = "Here:\n```cpp\n" + source + "\n```";
    reply.reasoning = "Let me think.";
    replies.push_back(reply);
    TurnRecord turn;
    turn.turn = reply.turn;
    turn.label = label;
    turn.cause = label == Label::kCorrect ? "correct" : "compile_error";
    turn.source = source;
    turn.source_sha256 = std::string(63, 'a') + std::to_string(turn.turn);
    turn.feedback = feedback;
    turn.rank = 1;
    turn.finished_at_s = 1'800'000'000;
    turns.push_back(turn);
  }

  void write(const std::string& path) const {
    std::vector<Record> records = {experiment, environment, prompt};
    for (std::size_t i = 0; i < turns.size(); ++i) {
      records.emplace_back(replies[i]);
      records.emplace_back(turns[i]);
    }
    records.emplace_back(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, {}});
    write_records(path, records);
  }
};

}  // namespace ptxbatch::testing
