#include "tests/simulator/virtual_rank.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/hash.h"
#include "common/version.h"
#include "ranks/prompt/prompt.h"
#include "ranks/trajectory.h"
#include "tests/support/synthetic_turn.h"

namespace ptxbatch {
namespace {

constexpr double kActivityIntervalS = 0.5;  // as ranks/pipeline
constexpr int kDevicesPerHost = 8;
// No published trajectory reached the target.
constexpr double kBestSpeedup = 1.19;

std::string host_of(int rank) {
  return fmt::format("n{:03}", (rank - 1) / kDevicesPerHost);
}

}  // namespace

VirtualRank::VirtualRank(int number, const Experiment& experiment, const WorkModel& work,
                         const VirtualRankSettings& settings, RankWorld& world)
    : number_(number), experiment_(experiment), work_(work), settings_(settings), world_(world) {}

// --- the coordinator's messages -----------------------------------------------------------------

void VirtualRank::begin() {
  world_.say(number_, Hello{kVersion, kGitCommit, host_of(number_)});
}

void VirtualRank::take(CoordinatorMessage message) {
  if (left_) return;
  std::visit([this](const auto& body) { handle(body); }, message);
  report_activity();
}

void VirtualRank::handle(const Welcome& welcome) {
  session_ = welcome.session;
  world_.call_back(settings_.start_s, number_, Stage::kStart, 0);
}

void VirtualRank::handle(const Assignment& assignment) {
  const std::int32_t index = assignment.trajectory.index;
  Held& held = held_[index];
  held.next_turn = static_cast<std::int32_t>(assignment.history.size());
  send_prompt(assignment.trajectory);
  if (!assignment.pending_reply) {
    request_reply(index);
    return;
  }
  held.turn = work_.turn(index, held.next_turn);
  prepare(index);
}

void VirtualRank::handle(const Acknowledgement& acknowledged) {
  while (!unacknowledged_.empty() && unacknowledged_.begin()->first <= acknowledged.number) {
    prepare(unacknowledged_.extract(unacknowledged_.begin()).mapped());
  }
}

void VirtualRank::handle(const PermitGrant& grant) {
  const auto asked = permits_.extract(grant.number);
  if (asked.empty()) return;
  Held& held = held_.at(asked.mapped());
  use_.generating_s += held.turn.generate_s;
  world_.call_back(held.turn.generate_s, number_, Stage::kGenerate, asked.mapped());
}

void VirtualRank::handle(const NoMoreWork& /*message*/) {
  no_more_work_ = true;
  leave_when_done();
}

// What is in hand is abandoned: how a stop goes is no matter of scale.
void VirtualRank::handle(const Stop& /*message*/) {
  held_.clear();
  no_more_work_ = true;
  leave_when_done();
}

void VirtualRank::leave_when_done() {
  if (left_ || !no_more_work_ || !held_.empty()) return;
  left_ = true;
  use_.left_at_s = world_.now_s();
  world_.say(number_, Goodbye{});
}

// --- the stages ---------------------------------------------------------------------------------

void VirtualRank::stage_ended(Stage stage, std::int32_t trajectory) {
  if (left_) return;
  switch (stage) {
    case Stage::kStart:
      started();
      break;
    case Stage::kGenerate:
      answered(trajectory);
      break;
    case Stage::kCompile:
      --compiling_;
      compile_next();
      prepared(trajectory);
      break;
    case Stage::kDevice:
      judging_ = false;
      judge_next();
      finish(trajectory);
      break;
  }
  report_activity();
}

void VirtualRank::started() {
  started_at_s_ = world_.now_s();
  EnvironmentRecord environment;
  environment.session = session_;
  environment.rank = number_;
  environment.host = host_of(number_);
  environment.target = experiment_.targets.front().name;
  environment.device_name = "NVIDIA H200 (simulated)";
  environment.device_id = fmt::format("GPU-{:08x}", number_);
  environment.driver = "580.159.04";
  environment.libraries = "cuBLASLt 13.1.0; cuDNN 9.14.0";
  environment.program_version = kVersion;
  environment.git_commit = kGitCommit;
  environment.started_at_s = world_.unix_time_s();
  record(std::move(environment));
  world_.say(number_, WorkRequest{experiment_.rank.generating + experiment_.rank.profiling});
}

void VirtualRank::request_reply(std::int32_t trajectory) {
  Held& held = held_.at(trajectory);
  held.turn = work_.turn(trajectory, held.next_turn);
  if (generating_ < experiment_.rank.generating) {
    ask_permit(trajectory);
  } else {
    ModelRequest request;
    request.trajectory.index = trajectory;
    request.turn = held.next_turn;
    waiting_for_model_.push(std::move(request));
  }
}

void VirtualRank::ask_permit(std::int32_t trajectory) {
  ++generating_;
  Held& held = held_.at(trajectory);
  held.permit = ++permits_asked_;
  permits_[held.permit] = trajectory;
  PermitRequest request;
  request.number = held.permit;
  request.request = {trajectory, held.next_turn, 1,
                     sha256_hex(fmt::format("{} {}", trajectory, held.next_turn)),
                     world_.unix_time_s()};
  request.tokens = held.turn.completion_tokens;
  world_.say(number_, request);
}

void VirtualRank::answered(std::int32_t trajectory) {
  Held& held = held_.at(trajectory);
  unacknowledged_[record(reply_record(trajectory, held))] = trajectory;
  world_.say(number_, PermitReturn{held.permit, held.turn.completion_tokens, 0});
  --generating_;
  if (const auto next = waiting_for_model_.pop()) ask_permit(next->trajectory.index);
}

void VirtualRank::prepare(std::int32_t trajectory) {
  waiting_for_compiler_.push_back(trajectory);
  compile_next();
}

void VirtualRank::compile_next() {
  if (compiling_ >= settings_.compile_jobs || waiting_for_compiler_.empty()) return;
  const std::int32_t trajectory = waiting_for_compiler_.front();
  waiting_for_compiler_.pop_front();
  ++compiling_;
  const double seconds = held_.at(trajectory).turn.compile_s;
  use_.compiling_s += seconds;
  world_.call_back(seconds, number_, Stage::kCompile, trajectory);
}

void VirtualRank::prepared(std::int32_t trajectory) {
  if (held_.at(trajectory).turn.device_s == 0) {
    finish(trajectory);
    return;
  }
  waiting_for_device_.push_back(trajectory);
  judge_next();
}

void VirtualRank::judge_next() {
  if (judging_ || waiting_for_device_.empty()) return;
  const std::int32_t trajectory = waiting_for_device_.front();
  waiting_for_device_.pop_front();
  judging_ = true;
  const PlannedTrajectory& plan = work_.plan().at(static_cast<std::size_t>(trajectory));
  const double seconds =
      load(plan.definition + " " + plan.workload) + held_.at(trajectory).turn.device_s;
  use_.judging_s += seconds;
  world_.call_back(seconds, number_, Stage::kDevice, trajectory);
}

// The workload used longest ago goes when there is no room, as in ranks/profile/workload_store.
double VirtualRank::load(const std::string& workload) {
  const auto found = std::find(resident_.begin(), resident_.end(), workload);
  double seconds = 0;
  if (found != resident_.end()) {
    resident_.erase(found);
  } else {
    seconds = use_.loads == 0 ? settings_.first_load_s : settings_.load_s;
    ++use_.loads;
    use_.loading_s += seconds;
    if (static_cast<int>(resident_.size()) >= settings_.resident_workloads) resident_.pop_front();
  }
  resident_.push_back(workload);
  return seconds;
}

void VirtualRank::finish(std::int32_t trajectory) {
  Held& held = held_.at(trajectory);
  TurnRecord judged = turn_record(trajectory, held);
  const auto end = end_after(judged, ReplyRecord{}, experiment_.protocol);
  record(std::move(judged));
  ++use_.turns;
  if (!end) {
    ++held.next_turn;
    request_reply(trajectory);
    return;
  }
  record(TrajectoryEndRecord{trajectory, *end, ""});
  held_.erase(trajectory);
  leave_when_done();
}

// --- records ------------------------------------------------------------------------------------

std::uint64_t VirtualRank::record(Record body) {
  world_.say(number_, RecordMessage{++records_sent_, std::move(body)});
  return records_sent_;
}

void VirtualRank::send_prompt(const PlannedTrajectory& plan) {
  std::string text =
      fmt::format(R"([{{"role":"user","content":"{} {}"}}])", plan.definition, plan.prompt_tag);
  const std::string sha256 = sha256_hex(text);
  if (prompts_sent_.insert(sha256).second) record(PromptRecord{sha256, std::move(text)});
}

TurnRecord VirtualRank::turn_record(std::int32_t trajectory, const Held& held) const {
  const auto seed =
      (static_cast<std::uint64_t>(trajectory) << 16U) + static_cast<std::uint64_t>(held.next_turn);
  SyntheticRandom random(seed);
  TurnRecord record =
      synthetic_turn(random, trajectory, held.next_turn, held.turn.label, settings_.with_texts);
  record.speedup = std::min(record.speedup, kBestSpeedup);
  record.paired_speedup = std::min(record.paired_speedup, kBestSpeedup);
  record.reasoning_tokens = held.turn.reasoning_tokens;
  record.stages.generate = held.turn.generate_s;
  record.stages.compile = held.turn.compile_s;
  record.stages.evaluate = held.turn.device_s;
  record.session = session_;
  record.rank = number_;
  record.finished_at_s = world_.unix_time_s();
  return record;
}

ReplyRecord VirtualRank::reply_record(std::int32_t trajectory, const Held& held) const {
  SyntheticRandom random(static_cast<std::uint64_t>(trajectory));
  ReplyRecord reply = synthetic_reply(random, turn_record(trajectory, held));
  reply.request_sha256 = sha256_hex(fmt::format("{} {}", trajectory, held.next_turn));
  reply.completion_tokens = held.turn.completion_tokens;
  reply.latency_s = held.turn.generate_s;
  return reply;
}

void VirtualRank::report_activity() {
  if (left_ || world_.now_s() - activity_sent_at_s_ < kActivityIntervalS) return;
  activity_sent_at_s_ = world_.now_s();
  Activity activity;
  activity.generating = generating_;
  activity.compiling = compiling_ + static_cast<std::int32_t>(waiting_for_compiler_.size());
  activity.judging = (judging_ ? 1 : 0) + static_cast<std::int32_t>(waiting_for_device_.size());
  activity.device_busy_s = use_.judging_s;
  activity.up_s = world_.now_s() - started_at_s_;
  world_.say(number_, activity);
}

}  // namespace ptxbatch
