#include "tests/support/synthetic_run.h"

#include <array>
#include <string>

#include "common/hash.h"
#include "tests/support/synthetic_turn.h"

namespace ptxbatch {
namespace {

constexpr int kTurns = 8;
constexpr double kTargetSpeedup = 1.2;
constexpr double kStart_s = 1'800'000'000;

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
    if (auto done = visit_(PromptRecord{sha256_hex(kSyntheticPrompt), kSyntheticPrompt}); !done)
      return done;
    for (std::int32_t index = 0; index < trajectories && turns_left_ > 0; ++index) {
      if (auto done = trajectory(index); !done) return done;
    }
    return {};
  }

 private:
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
        if (auto done = visit_(synthetic_reply(random_, record)); !done) return done;
      }
      if (auto done = visit_(std::move(record)); !done) return done;
      if (reached) return visit_(TrajectoryEndRecord{index, TrajectoryEnd::kTargetReached, {}});
    }
    return visit_(TrajectoryEndRecord{index, TrajectoryEnd::kTurnsDone, {}});
  }

  TurnRecord draw_turn(std::int32_t trajectory, std::int32_t turn) {
    const Label label = draw_label(random_);
    TurnRecord record = synthetic_turn(random_, trajectory, turn, label, run_.with_texts);
    record.finished_at_s = kStart_s + 60 * ++turns_made_;
    return record;
  }

  const SyntheticRun& run_;
  const std::function<Status(Record&&)>& visit_;
  SyntheticRandom random_;
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
