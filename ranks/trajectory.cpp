#include "ranks/trajectory.h"

#include <algorithm>

#include "common/hash.h"
#include "ranks/generate/token_estimate.h"

namespace ptxbatch {
namespace {

template <class T, class Matches>
const T* find_in(const std::vector<T>& items, Matches matches) {
  const auto found = std::find_if(items.begin(), items.end(), matches);
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

Result<TrajectorySpecs> find_specs(const Experiment& experiment, const PlannedTrajectory& plan) {
  TrajectorySpecs specs;
  specs.model = find_in(experiment.models, [&](const auto& m) { return m.name == plan.model; });
  specs.target = find_in(experiment.targets, [&](const auto& t) { return t.name == plan.target; });
  specs.problem = find_in(experiment.problems, [&](const auto& p) {
    return p.problem.definition == plan.definition && p.problem.workload == plan.workload;
  });
  specs.prompt =
      find_in(experiment.prompts, [&](const auto& p) { return p.tag == plan.prompt_tag; });
  if (specs.model == nullptr || specs.target == nullptr || specs.problem == nullptr ||
      specs.prompt == nullptr) {
    return fail(ErrorKind::kInternal,
                "trajectory " + std::to_string(plan.index) + " does not belong to this experiment");
  }
  return specs;
}

Trajectory::Trajectory(Assignment assignment, TrajectorySpecs specs, std::vector<Message> prompt)
    : plan_(std::move(assignment.trajectory)),
      specs_(specs),
      messages_(std::move(prompt)),
      prompt_sha256_(sha256_hex(messages_json(messages_))),
      tokens_per_byte_(kTokensPerByte) {
  for (const auto& turn : assignment.history) {
    add_turn(turn.reply, turn.feedback, turn.prompt_tokens);
  }
}

std::int64_t Trajectory::prompt_tokens() const {
  return estimated_tokens(bytes_of(messages_), tokens_per_byte_);
}

void Trajectory::add_turn(const std::string& reply, const std::string& feedback,
                          std::int64_t prompt_tokens) {
  if (prompt_tokens > 0) {
    tokens_per_byte_ =
        static_cast<double>(prompt_tokens) / static_cast<double>(bytes_of(messages_));
  }
  messages_.push_back({"assistant", reply});
  messages_.push_back({"user", feedback});
  ++next_turn_;
}

std::optional<TrajectoryEnd> end_after(const TurnRecord& turn, const ReplyRecord& reply,
                                       const ProtocolSettings& protocol) {
  const double speedup = protocol.speedup == "paired" ? turn.paired_speedup : turn.speedup;
  if (turn.label == Label::kCorrect && speedup >= protocol.target_speedup) {
    return TrajectoryEnd::kTargetReached;
  }
  if (reply.end == ReplyEnd::kContextExhausted) return TrajectoryEnd::kContextExhausted;
  if (turn.turn + 1 >= protocol.turns) return TrajectoryEnd::kTurnsDone;
  return std::nullopt;
}

}  // namespace ptxbatch
