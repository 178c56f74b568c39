#include "ranks/pipeline.h"

#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "common/log.h"
#include "common/message_queue.h"
#include "ranks/device_worker.h"
#include "ranks/generate/model_client.h"
#include "ranks/generation.h"
#include "ranks/prompt/prompt.h"
#include "ranks/turn.h"

namespace ptxbatch {
namespace {

constexpr double kActivityIntervalS = 0.5;
constexpr double kIdleIntervalS = 5;  // between reports while nothing happens
// In a row: fewer than a trajectory may be put back, so that one host alone fails no trajectory.
constexpr int kFailuresOfASickHost = 2;

int compile_jobs(const Experiment& experiment, int ranks_on_this_host) {
  if (experiment.rank.compile_jobs > 0) return experiment.rank.compile_jobs;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / 2 / std::max(1, ranks_on_this_host));
}

}  // namespace

class Pipeline::Impl {
 public:
  Impl(PipelineConfig config, std::function<void(std::string)> send)
      : config_(std::move(config)),
        send_(std::move(send)),
        gateway_(is_gateway(config_.experiment, config_.rank)) {}

  void deliver(CoordinatorMessage message) {
    events_.push([this, held = std::make_shared<CoordinatorMessage>(std::move(message))] {
      std::visit([this](auto& body) { handle(body); }, *held);
    });
  }

  End run() {
    const Status started = start();
    if (!started) {
      say(Goodbye{describe(started.error())});
      return End::kDrained;
    }
    ask_for_work();
    while (!done()) {
      auto event = events_.pop_until(stopping_ ? stop_deadline_ : deadline_in(kIdleIntervalS));
      if (event) (*event)();
      if (!event && stopping_) break;
      report_activity();
    }
    if (dismissed_) {
      drop_work();
      return End::kDismissed;
    }
    const bool drained = turns_in_hand_ == 0;
    say(Goodbye{});
    if (drained) join_stages();
    return drained ? End::kDrained : End::kAbandoned;
  }

 private:
  using TurnPtr = std::shared_ptr<TurnInHand>;

  // --- starting -------------------------------------------------------------------------------

  Status start() {
    generation_ = std::make_unique<Generation>(
        config_.experiment, config_.rank, config_.life, *config_.keys,
        Generation::Links{[this](std::function<void()> event) { events_.push(std::move(event)); },
                          [this](const RankMessage& message) { say(message); },
                          [this](std::int32_t index, const std::string& request_sha256,
                                 double seconds, ModelResult result) {
                            on_reply(index, request_sha256, seconds, std::move(result));
                          }});
    if (auto started = generation_->start(); !started) return started;
    return gateway_ ? Status{} : start_stages();
  }

  Status start_stages() {
    for (const TargetSpec& target : config_.experiment.targets) {
      auto compiler = make_compiler(target, config_.scratch_folder);
      if (!compiler) return fail(compiler.error());
      compilers_[target.name] = std::move(*compiler);
    }
    device_ = std::make_unique<DeviceWorker>(
        config_,
        DeviceWorker::Links{[this](TurnPtr turn) {
                              events_.push([this, turn = std::move(turn)] { on_judged(turn); });
                            },
                            [this](DeviceService service, std::string kind, std::string message) {
                              events_.push([this, service, kind = std::move(kind),
                                            message = std::move(message)] {
                                on_device_noted(service, kind, message);
                              });
                            }});
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
    generation_->close();
    compile_queue_.close();
    for (std::thread& thread : compile_pool_) thread.join();
    compile_pool_.clear();
    if (device_) device_->close();
  }

  // What waits is dropped; what a compiler or the device is at ends first.
  void drop_work() {
    compile_queue_.abandon();
    if (device_) device_->abandon();
    join_stages();
  }

  // --- messages from the coordinator ------------------------------------------------------------

  void handle(Assignment& assignment) {
    if (stopping_) return;
    if (device_service_ == DeviceService::kOutOfService) {
      put_back(assignment.trajectory.index, TurnInHand::DeviceLoss::kBefore);
      return;
    }
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
    generation_->stop();  // what was paid for may still come, and is journalled
    if (device_) device_->hurry();
  }
  void handle(PermitGrant& grant) { generation_->handle(grant); }
  void handle(RelayedRequest& request) { generation_->handle(request); }
  void handle(RelayedReply& reply) { generation_->handle(reply); }
  void handle(Dismissed& /*message*/) { dismissed_ = true; }
  void handle(Welcome& /*message*/) {}
  void handle(Refusal& /*message*/) {}
  void handle(Heartbeat& /*message*/) {}
  void handle(Farewell& /*message*/) {}

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
    // Files that the experiment names may have changed since; their text is not compared.
    if (pending->request_sha256 != request_of(trajectory).request_sha256) {
      end_trajectory(index, TrajectoryEnd::kFailed,
                     "the reply in the journal answers another request than this turn's: a file of "
                     "the knowledge pack or of the problem has changed since it was asked for");
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
    auto prompt =
        assemble_prompt(*specs->target, *specs->problem, *specs->prompt, specs->model->variant);
    if (assignment.prompt) prompt = begun_with(*assignment.prompt, prompt);
    if (!prompt) return fail(prompt.error());
    const std::string text = messages_json(*prompt);
    auto trajectory =
        std::make_unique<Trajectory>(std::move(assignment), *specs, std::move(*prompt));
    if (prompts_sent_.insert(trajectory->prompt_sha256()).second) {
      record(PromptRecord{trajectory->prompt_sha256(), text});
    }
    return trajectory;
  }

  // What was begun with one prompt goes on with it, whatever has become of the pack's files.
  Result<std::vector<Message>> begun_with(const PromptRecord& prompt,
                                          const Result<std::vector<Message>>& today) {
    const bool changed = !today || messages_json(*today) != prompt.text;
    if (changed && old_prompts_reported_.insert(prompt.sha256).second) {
      spdlog::warn(
          "the knowledge pack or a problem has changed since this run began: trajectories that "
          "have begun go on with the prompt that they began with ({}); others get the new one",
          prompt.sha256.substr(0, 12));
    }
    return messages_from_json(prompt.text);
  }

  void end_trajectory(std::int32_t index, TrajectoryEnd end, std::string message) {
    if (end == TrajectoryEnd::kFailed) spdlog::warn("trajectory {} failed: {}", index, message);
    record(TrajectoryEndRecord{index, end, std::move(message)});
    trajectories_.erase(index);
  }

  // --- generate ---------------------------------------------------------------------------------

  static ModelRequest request_of(const Trajectory& trajectory) {
    return {trajectory.plan(), trajectory.next_turn(), trajectory.messages(),
            request_hash(*trajectory.specs().model, trajectory.messages()),
            trajectory.prompt_tokens()};
  }

  void request_reply(const Trajectory& trajectory) {
    if (!stopping_) generation_->request(request_of(trajectory));
  }

  // Said once for each cause: the trajectories of a model share their failures.
  void report(const std::string& model, const ModelFailure& failure) {
    if (!causes_reported_.insert(model + " " + failure.cause).second) return;
    record(EventRecord{unix_time_s(), config_.session, config_.rank, "model_failed",
                       describe(failure.error)});
  }

  void on_failure(const Trajectory& trajectory, const ModelFailure& failure) {
    report(trajectory.plan().model, failure);
    const std::int32_t index = trajectory.plan().index;
    if (failure.kind == ModelFailure::Kind::kTransport) {
      say(PutBack{index, describe(failure.error), false});
      trajectories_.erase(index);
    } else {
      spdlog::info("trajectory {} failed: {}", index, describe(failure.error));
      record(TrajectoryEndRecord{index, TrajectoryEnd::kFailed, describe(failure.error)});
      trajectories_.erase(index);
    }
  }

  void on_reply(std::int32_t index, const std::string& request_sha256, double seconds,
                ModelResult reply) {
    const auto found = trajectories_.find(index);
    if (found == trajectories_.end()) return;
    Trajectory& trajectory = *found->second;
    if (!reply) {
      if (!stopping_) on_failure(trajectory, reply.error());
      return;
    }
    if (reply->end_without_reply) {
      end_trajectory(index, *reply->end_without_reply, std::move(reply->reason));
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

  // --- the device -------------------------------------------------------------------------------

  void on_device_noted(DeviceService service, const std::string& kind, const std::string& message) {
    record(EventRecord{unix_time_s(), config_.session, config_.rank, kind, message});
    spdlog::warn("{}: {}", kind, message);
    if (service == device_service_) return;
    device_service_ = service;
    ask_for_work();
  }

  // None while the device judges nothing.
  void ask_for_work() {
    const RankSettings& rank = config_.experiment.rank;
    const bool wants_any = !gateway_ && device_service_ == DeviceService::kInService;
    say(WorkRequest{wants_any ? rank.generating + rank.profiling : 0,
                    device_service_ == DeviceService::kOutOfService});
  }

  // A reply that was paid for is on disk already, and is judged by whoever gets the trajectory.
  void put_back(std::int32_t index, TurnInHand::DeviceLoss loss) {
    using Loss = TurnInHand::DeviceLoss;
    const std::string device = "the device of rank " + std::to_string(config_.rank);
    say(PutBack{index,
                loss == Loss::kStopped ? "the run stops while " + device + " is paused"
                                       : device + " is out of service",
                loss != Loss::kMeanwhile});
    trajectories_.erase(index);
  }

  // This host could not do its part. Another one may; a host that fails again and again would else
  // go through everybody's trajectories.
  void put_back_failed(std::int32_t index, const std::string& failure) {
    const std::string rank = "rank " + std::to_string(config_.rank);
    const bool is_known = device_service_ == DeviceService::kOutOfService;
    say(PutBack{index, rank + ": " + failure, is_known});
    trajectories_.erase(index);
    if (++failures_in_a_row_ < kFailuresOfASickHost || is_known) return;
    on_device_noted(DeviceService::kOutOfService, "host_excluded",
                    rank + " takes no more work: " + failure);
  }

  void finish(TurnInHand& turn) {
    --turns_in_hand_;
    Trajectory& trajectory = *turn.trajectory;
    const std::int32_t index = trajectory.plan().index;
    if (turn.device_loss != TurnInHand::DeviceLoss::kNone) {
      put_back(index, turn.device_loss);
      return;
    }
    if (!turn.failure.empty()) {
      put_back_failed(index, turn.failure);
      return;
    }
    failures_in_a_row_ = 0;
    TurnRecord judged = finish_turn(turn, config_.experiment, config_.session, config_.rank);
    const auto end = end_after(judged, turn.reply, config_.experiment.protocol);
    trajectory.add_turn(turn.reply.text, judged.feedback,
                        turn.reply.usage_estimated ? 0 : turn.reply.prompt_tokens);
    record(std::move(judged));
    if (end) {
      end_trajectory(index, *end, "");
    } else if (device_service_ == DeviceService::kOutOfService) {
      put_back(index, TurnInHand::DeviceLoss::kBefore);
    } else {
      request_reply(trajectory);
    }
  }

  // --- talking to the coordinator ---------------------------------------------------------------

  void say(const RankMessage& message) { send_(encode_message(message)); }

  std::uint64_t record(Record body) {
    RecordMessage message;
    message.number = ++records_sent_;
    message.record = std::move(body);
    say(message);
    return records_sent_;
  }

  void report_activity() {
    if (seconds_since(activity_sent_at_) < kActivityIntervalS) return;
    activity_sent_at_ = SteadyClock::now();
    // A gateway has no device that could be busy.
    say(Activity{generation_->out(), compiling_, judging_, device_ ? device_->busy_s() : 0,
                 device_ ? seconds_since(started_at_) : 0, device_service_});
  }

  [[nodiscard]] bool done() const {
    if (dismissed_) return true;
    if (stopping_) return turns_in_hand_ == 0 && generation_->out() == 0;
    return no_more_work_ && trajectories_.empty();
  }

  PipelineConfig config_;
  std::function<void(std::string)> send_;
  bool gateway_;
  MessageQueue<std::function<void()>> events_;

  // The dispatcher's own:
  std::map<std::int32_t, std::unique_ptr<Trajectory>> trajectories_;
  std::map<std::uint64_t, TurnPtr> unacknowledged_;  // replies sent to be journalled, by number
  std::set<std::string> prompts_sent_;
  std::set<std::string> old_prompts_reported_;
  std::set<std::string> causes_reported_;  // of models' failures
  std::uint64_t records_sent_ = 0;
  int turns_in_hand_ = 0;  // replies received and not yet finished
  int compiling_ = 0;
  int judging_ = 0;
  DeviceService device_service_ = DeviceService::kInService;
  int failures_in_a_row_ = 0;  // of this host
  bool no_more_work_ = false;
  bool stopping_ = false;
  bool dismissed_ = false;
  Deadline stop_deadline_;
  SteadyClock::time_point started_at_ = SteadyClock::now();
  SteadyClock::time_point activity_sent_at_;

  std::map<std::string, std::unique_ptr<Compiler>> compilers_;  // by target
  std::unique_ptr<Generation> generation_;
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
Pipeline::End Pipeline::run() {
  return impl_->run();
}

}  // namespace ptxbatch
