#include "orchestrator/coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/log.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/stop_signal.h"
#include "ranks/problems/operators.h"

namespace ptxbatch {
namespace {

constexpr double kTickS = 0.1;         // how long a wait for messages lasts at most
constexpr double kStopGraceS = 30;     // turns in hand may be finished for so long
constexpr double kAnswerToStopS = 10;  // beyond the grace, for the ranks' goodbyes
constexpr int kMessagesPerSync = 256;

Error no_gateway_left() {
  return {ErrorKind::kSystem,
          "no gateway is left to make model calls",
          "Check the gateway ranks; their last words stand above.",
          {},
          0,
          0,
          {}};
}

// Which trajectory a rank must have in hand to send this.
std::optional<std::int32_t> trajectory_of(const Record& record) {
  return std::visit(
      [](const auto& body) -> std::optional<std::int32_t> {
        if constexpr (requires { body.trajectory; }) return body.trajectory;
        return std::nullopt;
      },
      record);
}

}  // namespace

Coordinator::Coordinator(const Experiment& experiment, RunStore& store, Transport& transport,
                         Progress& progress, const TimeSource& time, WorkQueue queue,
                         RunConditions conditions)
    : experiment_(experiment),
      store_(store),
      transport_(transport),
      progress_(progress),
      time_(time),
      queue_(std::move(queue)),
      roll_call_(experiment),
      conditions_(conditions),
      stop_policy_(conditions.allocation_end, experiment.budgets.generate_s + kStopGraceS),
      traffic_(experiment, store, transport, time),
      session_(store.state().sessions()),
      checkpoints_(store, experiment.rank.checkpoint_s, time),
      listened_at_(time.now()),
      started_at_s_(time.unix_time_s()) {
  for (const int rank : transport_.ranks()) {
    ranks_[rank];
    silent_.insert(rank);
  }
}

Coordinator::Outcome Coordinator::run() {
  append_event(store_.resumed() ? "resumed" : "started",
               fmt::format("{} working ranks", ranks_.size()));
  queue_work();
  while (ranks_present()) {
    // What has arrived by then is taken, however long the last sync took.
    const bool is_late = stopping_ && time_.now() > stop_deadline_;
    take_messages(time_.deadline_in(kTickS));
    stop_when_budget_is_spent();
    grant_permits();
    if (unsynced_) sync_and_acknowledge();
    traffic_.send_grants();
    obey_signals();
    give_up_silent_ranks();
    if (!stopping_) {
      hand_out_work();
      checkpoints_.update();
    } else if (is_late && !backlog_) {
      spdlog::warn("some ranks did not answer the request to stop; going on without them");
      break;
    }
    progress_.update(store_.state());
    show_status_when_due();
  }
  return finish();
}

// The plan order within a workload is kept, so that early trajectories finish first.
void Coordinator::queue_work() {
  const RunState& state = store_.state();
  for (const ModelSpec& model : experiment_.models) {
    queue_.limit(model.name, model.endpoint.limits);
  }
  for (const ProblemSpec& spec : experiment_.problems) {
    const Operator* op = find_operator(spec.problem.op_type);
    flops_[spec.problem.definition + " " + spec.problem.workload] =
        op != nullptr ? op->flops(spec.problem) : 0;
  }
  for (const PlannedTrajectory& plan : state.experiment()->trajectories) {
    if (state.trajectories()[static_cast<std::size_t>(plan.index)].end) continue;
    enqueue(plan.index);
  }
  const auto unanswered = std::count_if(state.trajectories().begin(), state.trajectories().end(),
                                        [](const auto& t) { return t.awaits_reply; });
  if (unanswered > 0) {
    append_event("requests_unanswered",
                 fmt::format("{} requests of an earlier session were sent and their replies never "
                             "came: they may have been paid for, and are asked again",
                             unanswered));
  }
}

void Coordinator::enqueue(std::int32_t trajectory) {
  const PlannedTrajectory& plan =
      store_.state().experiment()->trajectories[static_cast<std::size_t>(trajectory)];
  const std::string workload = plan.definition + " " + plan.workload;
  queue_.release(trajectory);
  queue_.add(trajectory, workload, flops_[workload], plan.model);
  hand_out_due_ = true;
}

void Coordinator::take_messages(Deadline deadline) {
  for (int i = 0; i < kMessagesPerSync; ++i) {
    // The first wait may last; after it only what has already arrived is taken.
    auto received = transport_.receive(i == 0 ? deadline : time_.now());
    backlog_ = received.has_value();
    if (!received) return;
    auto message = decode_rank_message(received->bytes);
    if (!message) {
      give_up(message.error());
      return;
    }
    if (!listen_to(received->rank, *message)) continue;
    std::visit([&](const auto& body) { handle(received->rank, body); }, *message);
  }
}

void Coordinator::handle(int rank, const Hello& hello) {
  Rank& sender = ranks_[rank];
  sender.host = hello.host;
  silent_.erase(rank);
  if (sender.device < 0) {  // one that begins afresh keeps its device
    const auto device = roll_call_.admit(rank, hello);
    if (!device) {
      transport_.send(rank, encode_message(Refusal{describe(device.error())}));
      refuse(rank, device.error());
      return;
    }
    sender.device = *device;
  }
  transport_.send(
      rank, encode_message(Welcome{experiment_.file, experiment_.text, session_, sender.device}));
  if (stopping_) transport_.send(rank, encode_message(Stop{0}));
}

// A run without some of its ranks is what few want to find out in the morning.
void Coordinator::refuse(int rank, const Error& error) {
  if (conditions_.allow_unfit) {
    spdlog::warn("rank {} is set aside", rank);
    return;
  }
  refused_ = true;
  give_up(error);
}

void Coordinator::take_environment(int rank, const EnvironmentRecord& environment) {
  if (auto news = roll_call_.news(environment)) append_event("ranks_differ", *news);
  const Status checked = roll_call_.check(environment);
  if (checked || stopping_) return;
  append_event("rank_unfit", describe(checked.error()));
  if (conditions_.allow_unfit) transport_.send(rank, encode_message(Stop{0}));
  refuse(rank, checked.error());
}

void Coordinator::handle(int rank, const WorkRequest& request) {
  Rank& sender = ranks_[rank];
  sender.places = static_cast<std::size_t>(std::max(0, request.places));
  sender.asked_for_work = true;
  sender.was_fit = true;
  sender.out_of_service = request.out_of_service;
  device_lost_ |= request.out_of_service;
  hand_out_due_ = true;
  if (workers_present() > 0 || stopping_) return;
  give_up({ErrorKind::kSystem,
           "no rank has a device in service",
           "The causes are among the run's events (ptxbatch report). The same command goes on "
           "elsewhere.",
           {},
           0,
           0,
           {}});
}

void Coordinator::handle(int rank, const RecordMessage& message) {
  Rank& sender = ranks_[rank];
  if (sender.received == sender.acknowledged) to_acknowledge_.push_back(rank);
  sender.received = message.number;
  if (journal_failed_ || said_before(message.record)) return;
  if (const auto trajectory = trajectory_of(message.record);
      trajectory && !sender.in_hand.contains(*trajectory)) {
    spdlog::warn("a record of rank {} is ignored: trajectory {} is not in its hand", rank,
                 *trajectory);
    return;
  }
  if (auto appended = store_.append(message.record); !appended) {
    if (appended.error().kind == ErrorKind::kProtocol) {
      spdlog::error("a record of rank {} is ignored: {}", rank, describe(appended.error()));
      return;
    }
    journal_failed_ = true;
    give_up(appended.error());
    return;
  }
  unsynced_ = true;
  if (const auto* end = std::get_if<TrajectoryEndRecord>(&message.record); end != nullptr) {
    sender.in_hand.erase(end->trajectory);
    queue_.release(end->trajectory);
    hand_out_due_ = true;
  } else if (const auto* reply = std::get_if<ReplyRecord>(&message.record); reply != nullptr) {
    const auto position = static_cast<std::size_t>(reply->trajectory);
    queue_.replied(store_.state().experiment()->trajectories[position].model, reply->latency_s,
                   reply->prompt_tokens + reply->completion_tokens);
  }
  if (const auto* found = std::get_if<EnvironmentRecord>(&message.record); found != nullptr) {
    take_environment(rank, *found);
  }
}

// A prompt, or a model's failure, is every rank's; it is said and journalled once.
bool Coordinator::said_before(const Record& record) {
  if (const auto* prompt = std::get_if<PromptRecord>(&record); prompt != nullptr) {
    return store_.state().has_prompt(prompt->sha256);
  }
  const auto* event = std::get_if<EventRecord>(&record);
  if (event == nullptr || event->kind != "model_failed") return false;
  if (!model_failures_.insert(event->message).second) return true;
  progress_.finish_line();
  spdlog::error("{}", event->message);
  return false;
}

void Coordinator::handle(int rank, const PutBack& put_back) {
  if (ranks_[rank].in_hand.erase(put_back.trajectory) == 0) return;
  hand_out_due_ = true;
  if (put_back.blameless || put_backs_[put_back.trajectory]++ < experiment_.rank.put_backs) {
    spdlog::info("trajectory {} is put back: {}", put_back.trajectory, put_back.message);
    enqueue(put_back.trajectory);
    return;
  }
  spdlog::info("trajectory {} failed: {}", put_back.trajectory, put_back.message);
  queue_.release(put_back.trajectory);
  const TrajectoryEndRecord end{put_back.trajectory, TrajectoryEnd::kFailed, put_back.message};
  if (auto appended = store_.append(end); !appended) {
    spdlog::error("an end of rank {} is ignored: {}", rank, describe(appended.error()));
  }
  unsynced_ = true;
}

void Coordinator::handle(int rank, const RelayedRequest& request) {
  if (traffic_.take(rank, request) || stopping_) return;
  give_up(no_gateway_left());
}

void Coordinator::grant_permits() {
  if (journal_failed_ || stopping_) return;
  const auto granted = traffic_.journal_grants();
  if (!granted) {
    journal_failed_ = true;
    give_up(granted.error());
  } else if (*granted) {
    unsynced_ = true;
  }
}

// Calls that are out are paid for: their replies are waited for, and turns in hand finished.
void Coordinator::stop_when_budget_is_spent() {
  if (budget_spent_ || stopping_) return;
  const auto spent = traffic_.budget_spent();
  if (!spent) return;
  budget_spent_ = true;
  if (!error_) error_ = spent;
  progress_.finish_line();
  spdlog::warn("a limit is reached: nothing more is sent, and calls that are out are waited for");
  append_event(kLimitReached, spent->what);
  stop_ranks(experiment_.budgets.generate_s + kStopGraceS);
}

void Coordinator::handle(int rank, const Activity& activity) {
  progress_.activity(rank, activity);
}

void Coordinator::handle(int rank, const Goodbye& goodbye) {
  Rank& sender = ranks_[rank];
  const bool unfit = !sender.was_fit && !stopping_;
  miss(rank);
  if (goodbye.error.empty()) return;
  append_event("rank_unfit", goodbye.error);
  progress_.finish_line();
  spdlog::error("rank {} on {} cannot work: {}", rank, sender.host, goodbye.error);
  if (unfit) {
    refuse(rank, {ErrorKind::kSystem,
                  fmt::format("rank {} on {} cannot work", rank, sender.host),
                  "Its reason stands above. Or let --allow-unfit go on without such ranks.",
                  {},
                  0,
                  0,
                  {}});
  }
  if (workers_present() == 0 && !error_) {
    error_ = Error{
        ErrorKind::kSystem, "no rank is able to work", "The causes stand above.", {}, 0, 0, {}};
  }
}

// A rank is no longer there, whatever the cause: the others go on without it.
void Coordinator::miss(int rank) {
  Rank& gone = ranks_[rank];
  gone.present = false;
  silent_.erase(rank);
  gone.places = 0;
  hand_out_due_ = true;  // the others' shares have grown
  for (const std::int32_t trajectory : gone.in_hand) enqueue(trajectory);
  gone.in_hand.clear();
  progress_.forget(rank);
  if (!traffic_.rank_left(rank) && !stopping_) give_up(no_gateway_left());
  if (ranks_present() && workers_present() == 0 && !stopping_) stop_ranks(0);
}

// One sync for all that arrived together; ranks go on with a reply only once it is on disk.
void Coordinator::sync_and_acknowledge() {
  if (journal_failed_) return;
  if (auto synced = store_.sync(); !synced) {
    journal_failed_ = true;
    give_up(synced.error());
    return;
  }
  unsynced_ = false;
  for (const int number : std::exchange(to_acknowledge_, {})) {
    Rank& rank = ranks_[number];
    rank.acknowledged = rank.received;
    if (rank.present) {
      transport_.send(number, encode_message(Acknowledgement{rank.acknowledged}));
    }
  }
}

// No rank gets more than its share of what is left, so that none idles while another has a backlog.
void Coordinator::hand_out_work() {
  if (!silent_.empty()) return;  // nothing is paid for before all are known to be fit
  const RunState& state = store_.state();
  if (state.complete()) {
    for (auto& [number, rank] : ranks_) {
      if (!rank.present || rank.told_no_more_work) continue;
      transport_.send(number, encode_message(NoMoreWork{}));
      rank.told_no_more_work = true;
    }
    return;
  }
  if (!std::exchange(hand_out_due_, false) || queue_.empty()) return;
  const std::size_t left = state.trajectories().size() - state.ended();
  const std::size_t present = workers_present();
  if (present == 0) return;
  const std::size_t share = (left + present - 1) / present;
  for (auto& [number, rank] : ranks_) {
    while (rank.in_hand.size() < std::min(rank.places, share)) {
      const auto next = queue_.take(number);
      if (!next) return;
      auto assignment = store_.assignment(*next);
      if (!assignment) {
        give_up(assignment.error());
        return;
      }
      rank.in_hand.insert(*next);
      transport_.send(number, encode_message(*assignment));
    }
  }
}

void Coordinator::obey_signals() {
  const auto deadline = stop_policy_.update(stop_signals_seen(), time_.now());
  if (!deadline) return;
  const double grace_s = std::max(0.0, -time_.seconds_since(*deadline));
  progress_.finish_line();
  spdlog::warn("stopping ({}): no new work; turns in hand are {}", stop_policy_.reason(),
               grace_s > 0 ? fmt::format("finished for at most {:.0f} s, then abandoned", grace_s)
                           : "abandoned");
  stopped_by_signal_ = true;
  stop_ranks(grace_s);
}

void Coordinator::stop_ranks(double grace_s) {
  const Deadline deadline = time_.deadline_in(grace_s + kAnswerToStopS);
  stop_deadline_ = stopping_ ? std::min(stop_deadline_, deadline) : deadline;
  stopping_ = true;
  for (const auto& [number, rank] : ranks_) {
    if (rank.present) transport_.send(number, encode_message(Stop{grace_s}));
  }
}

void Coordinator::give_up(Error error) {
  if (!error_) error_ = std::move(error);
  stop_ranks(0);
}

void Coordinator::append_event(const std::string& kind, const std::string& message) {
  spdlog::info("{}: {}", kind, message);
  EventRecord event{time_.unix_time_s(), session_, 0, kind, message};
  if (auto appended = store_.append(event); !appended && !error_) {
    journal_failed_ = true;
    give_up(appended.error());
  }
  unsynced_ = true;
}

bool Coordinator::ranks_present() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const auto& entry) { return entry.second.present; });
}

std::size_t Coordinator::workers_present() const {
  return static_cast<std::size_t>(
      std::count_if(ranks_.begin(), ranks_.end(), [this](const auto& entry) {
        return entry.second.present && !entry.second.out_of_service &&
               !traffic_.is_gateway(entry.first);
      }));
}

Coordinator::Outcome Coordinator::finish() {
  checkpoints_.stop();
  Outcome outcome;
  outcome.stopped_by_signal = stopped_by_signal_;
  const RunState& state = store_.state();
  if (!state.complete() && !journal_failed_) {
    append_event("stopped", error_ ? describe(*error_) : "before all trajectories had ended");
  }
  if (unsynced_) sync_and_acknowledge();
  progress_.update(state);
  progress_.finish_line();
  if (!journal_failed_) {
    if (auto written = store_.finish(); !written && !error_) error_ = written.error();
  }
  remove_live_status(store_.results_path());
  for (const auto& [number, rank] : ranks_) {
    outcome.ranks_left_behind |= rank.present || rank.given_up;
    transport_.send(number, encode_message(Farewell{}));
  }
  transport_.flush();
  outcome.error = error_;
  if (!state.complete()) {
    // Without a single rank able to work there is nothing that the same command could resume.
    const bool never_worked = state.turns() == 0 && !outcome.ranks_left_behind && !device_lost_;
    const bool useless = never_worked && error_ && !journal_failed_ && !budget_spent_;
    outcome.exit_code = useless || refused_ ? kExitError : kExitResumable;
  } else if (error_) {
    outcome.exit_code = kExitResumable;
  } else {
    outcome.exit_code = state.failed() > 0 ? kExitWithFailures : kExitDone;
  }
  return outcome;
}

}  // namespace ptxbatch
