#include "ranks/pipeline.h"

#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "common/hash.h"
#include "common/log.h"
#include "common/message_queue.h"
#include "common/version.h"
#include "ranks/device_worker.h"
#include "ranks/generate/model_client.h"
#include "ranks/prompt/prompt.h"
#include "ranks/turn.h"

namespace ptxbatch {
namespace {

constexpr double kActivityIntervalS = 0.5;

int compile_jobs(const Experiment& experiment, int ranks_on_this_host) {
  if (experiment.rank.compile_jobs > 0) return experiment.rank.compile_jobs;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / 2 / std::max(1, ranks_on_this_host));
}

}  // namespace

class Pipeline::Impl {
 public:
  Impl(PipelineConfig config, std::function<void(std::string)> send)
      : config_(std::move(config)), send_(std::move(send)) {}

  void deliver(CoordinatorMessage message) {
    events_.push([this, held = std::make_shared<CoordinatorMessage>(std::move(message))] {
      std::visit([this](auto& body) { handle(body); }, *held);
    });
  }

  bool run() {
    const Status started = start();
    if (!started) {
      say(Goodbye{describe(started.error())});
      return true;
    }
    say(WorkRequest{config_.experiment.rank.generating});
    while (!done()) {
      auto event = stopping_ ? events_.pop_until(stop_deadline_) : events_.pop();
      if (event) (*event)();
      if (!event && stopping_) break;
      report_activity();
    }
    const bool drained = turns_in_hand_ == 0;
    say(Goodbye{});
    if (drained) join_stages();
    return drained;
  }

 private:
  using TurnPtr = std::shared_ptr<TurnInHand>;

  // --- starting -------------------------------------------------------------------------------

  Status start() {
    for (const TargetSpec& target : config_.experiment.targets) {
      auto compiler = make_compiler(target, config_.scratch_folder);
      if (!compiler) return fail(compiler.error());
      compilers_[target.name] = std::move(*compiler);
    }
    for (const ModelSpec& model : config_.experiment.models) {
      auto client = make_model_client(model, config_.experiment.budgets.generate_s);
      if (!client) return fail(client.error());
      clients_[model.name] = std::move(*client);
    }
    device_ = std::make_unique<DeviceWorker>(config_, [this](TurnPtr turn) {
      events_.push([this, turn = std::move(turn)] { on_judged(turn); });
    });
    auto devices = device_->start();
    if (!devices) return fail(devices.error());
    for (EnvironmentRecord& environment : *devices) {
      const std::string& compiler = compilers_.at(environment.target)->version();
      environment.libraries += (environment.libraries.empty() ? "" : "; ") + compiler;
      record(std::move(environment));
    }
    const int jobs = compile_jobs(config_.experiment, config_.ranks_on_this_host);
    for (int i = 0; i < jobs; ++i) compile_pool_.emplace_back([this] { serve_compile_queue(); });
    return {};
  }

  void serve_compile_queue() {
    while (auto turn = compile_queue_.pop()) {
      Compiler& compiler = *compilers_.at((*turn)->trajectory->plan().target);
      prepare_candidate(**turn, compiler, config_.experiment.budgets);
      events_.push([this, turn = std::move(*turn)] { on_prepared(turn); });
    }
  }

  void join_stages() {
    clients_.clear();
    compile_queue_.close();
    for (std::thread& thread : compile_pool_) thread.join();
    compile_pool_.clear();
    device_->close();
  }

  // --- messages from the coordinator ------------------------------------------------------------

  void handle(Assignment& assignment) {
    if (stopping_) return;
    start_trajectory(std::move(assignment));
  }
  void handle(Acknowledgement& acknowledged) {
    while (!unacknowledged_.empty() && unacknowledged_.begin()->first <= acknowledged.number) {
      const TurnPtr turn = std::move(unacknowledged_.extract(unacknowledged_.begin()).mapped());
      prepare(turn);
    }
  }
  void handle(NoMoreWork& /*message*/) { no_more_work_ = true; }
  void handle(Stop& stop) {
    const Deadline deadline = deadline_in(stop.grace_s);
    stop_deadline_ = stopping_ ? std::min(stop_deadline_, deadline) : deadline;
    stopping_ = true;
    clients_.clear();  // model calls still out are dropped: their replies were not used yet
    generating_ = 0;
  }
  void handle(Welcome& /*message*/) {}
  void handle(Refusal& /*message*/) {}

  // --- a trajectory -----------------------------------------------------------------------------

  void start_trajectory(Assignment assignment) {
    const std::int32_t index = assignment.trajectory.index;
    auto pending = std::move(assignment.pending_reply);
    auto made = make_trajectory(std::move(assignment));
    if (!made) {
      end_trajectory(index, TrajectoryEnd::kFailed, describe(made.error()));
      return;
    }
    Trajectory& trajectory = *(trajectories_[index] = std::move(*made));
    if (!pending) {
      request_reply(trajectory);
      return;
    }
    auto turn = std::make_shared<TurnInHand>();
    turn->trajectory = &trajectory;
    turn->reply = std::move(*pending);
    ++turns_in_hand_;
    prepare(turn);
  }

  Result<std::unique_ptr<Trajectory>> make_trajectory(Assignment assignment) {
    auto specs = find_specs(config_.experiment, assignment.trajectory);
    if (!specs) return fail(specs.error());
    auto prompt = assemble_prompt(*specs->target, *specs->problem, *specs->prompt);
    if (!prompt) return fail(prompt.error());
    const std::string text = messages_json(*prompt);
    auto trajectory =
        std::make_unique<Trajectory>(std::move(assignment), *specs, std::move(*prompt));
    if (prompts_sent_.insert(trajectory->prompt_sha256()).second) {
      record(PromptRecord{trajectory->prompt_sha256(), text});
    }
    return trajectory;
  }

  void end_trajectory(std::int32_t index, TrajectoryEnd end, std::string message) {
    if (end == TrajectoryEnd::kFailed) spdlog::warn("trajectory {} failed: {}", index, message);
    record(TrajectoryEndRecord{index, end, std::move(message)});
    trajectories_.erase(index);
  }

  // --- generate ---------------------------------------------------------------------------------

  void request_reply(const Trajectory& trajectory) {
    if (stopping_) return;
    ModelRequest request{trajectory.plan(), trajectory.next_turn(), trajectory.messages()};
    const std::string request_sha256 =
        sha256_hex(trajectory.plan().model + "\n" + messages_json(request.messages));
    ++generating_;
    const auto asked_at = SteadyClock::now();
    clients_.at(trajectory.plan().model)
        ->submit(std::move(request), [this, index = trajectory.plan().index, request_sha256,
                                      asked_at](Result<ModelReply> reply) {
          auto held = std::make_shared<Result<ModelReply>>(std::move(reply));
          events_.push([this, index, request_sha256, asked_at, held] {
            on_reply(index, request_sha256, seconds_since(asked_at), std::move(*held));
          });
        });
  }

  void on_reply(std::int32_t index, const std::string& request_sha256, double seconds,
                Result<ModelReply> reply) {
    const auto found = trajectories_.find(index);
    if (stopping_ || found == trajectories_.end()) return;
    --generating_;
    Trajectory& trajectory = *found->second;
    if (!reply) {
      end_trajectory(index, TrajectoryEnd::kFailed, describe(reply.error()));
      return;
    }
    if (reply->replies_exhausted) {
      end_trajectory(index, TrajectoryEnd::kRepliesExhausted, "");
      return;
    }
    auto turn = std::make_shared<TurnInHand>();
    turn->trajectory = &trajectory;
    turn->reply = std::move(reply->reply);
    turn->reply.trajectory = index;
    turn->reply.turn = trajectory.next_turn();
    turn->reply.request_sha256 = request_sha256;
    turn->reply.prompt_sha256 = trajectory.prompt_sha256();
    turn->stages.generate = seconds;
    ++turns_in_hand_;
    // The reply is used only once it is on disk, so that a restart never pays for it again.
    const std::uint64_t number = record(turn->reply);
    unacknowledged_[number] = std::move(turn);
  }

  // --- prepare, judge, finish -------------------------------------------------------------------

  void prepare(const TurnPtr& turn) {
    ++compiling_;
    turn->queued_at = SteadyClock::now();
    compile_queue_.push(turn);
  }

  void on_prepared(const TurnPtr& turn) {
    --compiling_;
    if (!needs_judging(*turn)) {
      finish(*turn);
      return;
    }
    turn->queued_at = SteadyClock::now();
    ++judging_;
    device_->judge(turn);
  }

  void on_judged(const TurnPtr& turn) {
    --judging_;
    finish(*turn);
  }

  void finish(TurnInHand& turn) {
    --turns_in_hand_;
    Trajectory& trajectory = *turn.trajectory;
    const std::int32_t index = trajectory.plan().index;
    if (!turn.failure.empty()) {
      end_trajectory(index, TrajectoryEnd::kFailed, turn.failure);
      return;
    }
    TurnRecord judged = finish_turn(turn, config_.experiment, config_.session, config_.rank);
    const auto end = end_after(judged, turn.reply, config_.experiment.protocol);
    trajectory.add_turn(turn.reply.text, judged.feedback);
    record(std::move(judged));
    if (end) {
      end_trajectory(index, *end, "");
    } else {
      request_reply(trajectory);
    }
  }

  // --- talking to the coordinator
  // -----------------------------------------------------------------

  void say(const RankMessage& message) { send_(encode_message(message)); }

  std::uint64_t record(Record body) {
    say(RecordMessage{++records_sent_, std::move(body)});
    return records_sent_;
  }

  void report_activity() {
    if (seconds_since(activity_sent_at_) < kActivityIntervalS) return;
    activity_sent_at_ = SteadyClock::now();
    say(Activity{generating_, compiling_, judging_, device_->busy_s(), seconds_since(started_at_)});
  }

  [[nodiscard]] bool done() const {
    if (stopping_) return turns_in_hand_ == 0;
    return no_more_work_ && trajectories_.empty();
  }

  PipelineConfig config_;
  std::function<void(std::string)> send_;
  MessageQueue<std::function<void()>> events_;

  // The dispatcher's own:
  std::map<std::int32_t, std::unique_ptr<Trajectory>> trajectories_;
  std::map<std::uint64_t, TurnPtr> unacknowledged_;  // replies sent to be journalled, by number
  std::set<std::string> prompts_sent_;
  std::uint64_t records_sent_ = 0;
  int turns_in_hand_ = 0;  // replies received and not yet finished
  int generating_ = 0;
  int compiling_ = 0;
  int judging_ = 0;
  bool no_more_work_ = false;
  bool stopping_ = false;
  Deadline stop_deadline_;
  SteadyClock::time_point started_at_ = SteadyClock::now();
  SteadyClock::time_point activity_sent_at_;

  std::map<std::string, std::unique_ptr<Compiler>> compilers_;   // by target
  std::map<std::string, std::unique_ptr<ModelClient>> clients_;  // by model
  MessageQueue<TurnPtr> compile_queue_;
  std::vector<std::thread> compile_pool_;
  std::unique_ptr<DeviceWorker> device_;
};

Pipeline::Pipeline(PipelineConfig config, std::function<void(std::string)> send)
    : impl_(std::make_unique<Impl>(std::move(config), std::move(send))) {}
Pipeline::~Pipeline() = default;
void Pipeline::deliver(CoordinatorMessage message) {
  impl_->deliver(std::move(message));
}
bool Pipeline::run() {
  return impl_->run();
}

}  // namespace ptxbatch
