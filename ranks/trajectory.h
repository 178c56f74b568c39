// One trajectory as its rank holds it: the conversation so far and the rule when it ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ranks/coordination.h"
#include "ranks/experiment.h"
#include "ranks/prompt/prompt.h"

namespace ptxbatch {

/// The parts of an experiment that one trajectory uses; they outlive it.
struct TrajectorySpecs {
  const ModelSpec* model = nullptr;
  const TargetSpec* target = nullptr;
  const ProblemSpec* problem = nullptr;
  const PromptSpec* prompt = nullptr;
};

/// kInternal when the plan names something that the experiment lacks.
Result<TrajectorySpecs> find_specs(const Experiment& experiment, const PlannedTrajectory& plan);

class Trajectory {
 public:
  /// `prompt` begins the conversation; the assignment's finished turns are replayed behind it, so a
  /// resumed trajectory goes on with the very messages it would have had.
  Trajectory(Assignment assignment, TrajectorySpecs specs, std::vector<Message> prompt);

  [[nodiscard]] const PlannedTrajectory& plan() const { return plan_; }
  [[nodiscard]] const TrajectorySpecs& specs() const { return specs_; }
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] int next_turn() const { return next_turn_; }
  [[nodiscard]] const std::string& prompt_sha256() const { return prompt_sha256_; }
  /// About how many tokens messages() has: at the rate of the last request that was counted.
  [[nodiscard]] std::int64_t prompt_tokens() const;

  /// `prompt_tokens` is what the provider counted for the messages before this turn; 0: unknown.
  void add_turn(const std::string& reply, const std::string& feedback,
                std::int64_t prompt_tokens = 0);

 private:
  PlannedTrajectory plan_;
  TrajectorySpecs specs_;
  std::vector<Message> messages_;
  std::string prompt_sha256_;
  double tokens_per_byte_;
  int next_turn_ = 0;
};

/// Whether the trajectory ends after this turn, and why.
std::optional<TrajectoryEnd> end_after(const TurnRecord& turn, const ReplyRecord& reply,
                                       const ProtocolSettings& protocol);

}  // namespace ptxbatch
