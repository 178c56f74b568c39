#include "tests/simulator/virtual_cluster.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ptxbatch {
namespace {

constexpr double kMessageS = 20e-6;  // a small message over a cluster's network
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

VirtualCluster::VirtualCluster(int ranks, const Experiment& experiment, const WorkModel& work,
                               const VirtualRankSettings& settings, VirtualTime& time,
                               bool charge_coordinator)
    : time_(time),
      charge_coordinator_(charge_coordinator),
      lost_at_s_(static_cast<std::size_t>(ranks) + 1, kNever) {
  RankWorld& world = *this;
  ranks_.reserve(static_cast<std::size_t>(ranks));
  for (int number = 1; number <= ranks; ++number) {
    ranks_.emplace_back(number, experiment, work, settings, world).begin();
  }
}

void VirtualCluster::lose_rank(int rank, double at_s) {
  lost_at_s_.at(static_cast<std::size_t>(rank)) = at_s;
}

bool VirtualCluster::is_lost(int rank) const {
  return event_time_s_ >= lost_at_s_.at(static_cast<std::size_t>(rank));
}

std::vector<int> VirtualCluster::ranks() const {
  std::vector<int> all(ranks_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i) + 1;
  return all;
}

void VirtualCluster::send(int rank, std::string bytes) {
  ++traffic_.to_ranks;
  traffic_.bytes_to_ranks += static_cast<std::int64_t>(bytes.size());
  to_ranks_.push_back({time_.elapsed_s() + kMessageS, rank, std::move(bytes)});
}

void VirtualCluster::say(int rank, const RankMessage& message) {
  to_coordinator_.push_back({event_time_s_ + kMessageS, rank, encode_message(message)});
}

void VirtualCluster::call_back(double after_s, int rank, Stage stage, std::int32_t trajectory) {
  events_.push({event_time_s_ + after_s, ++events_made_, rank, stage, trajectory});
}

double VirtualCluster::unix_time_s() const {
  return time_.unix_time_s() - time_.elapsed_s() + event_time_s_;
}

std::optional<RankBytes> VirtualCluster::receive(Deadline deadline) {
  coordinator_waits();
  const double deadline_s = std::max(VirtualTime::elapsed_s(deadline), time_.elapsed_s());
  std::optional<RankBytes> received;
  while (true) {
    const double message_s = to_coordinator_.empty() ? kNever : to_coordinator_.front().at_s;
    const double event_s = next_event_s();
    if (std::min(message_s, event_s) > deadline_s) {
      time_.move_to(deadline_s);
      break;
    }
    if (event_s <= message_s) {
      event_time_s_ = event_s;
      let_next_event_happen();
      continue;
    }
    Message& message = to_coordinator_.front();
    time_.move_to(message.at_s);
    ++traffic_.to_coordinator;
    traffic_.bytes_to_coordinator += static_cast<std::int64_t>(message.bytes.size());
    received = {message.rank, std::move(message.bytes)};
    to_coordinator_.pop_front();
    break;
  }
  coordinator_works();
  return received;
}

double VirtualCluster::next_event_s() const {
  const double message_s = to_ranks_.empty() ? kNever : to_ranks_.front().at_s;
  return std::min(message_s, events_.empty() ? kNever : events_.top().at_s);
}

void VirtualCluster::let_next_event_happen() {
  if (!to_ranks_.empty() && to_ranks_.front().at_s == event_time_s_) {
    const Message message = std::move(to_ranks_.front());
    to_ranks_.pop_front();
    if (is_lost(message.rank)) return;
    auto decoded = decode_coordinator_message(message.bytes);
    if (!decoded) throw std::logic_error(decoded.error().what);
    rank(message.rank).take(std::move(*decoded));
    return;
  }
  const Event event = events_.top();
  events_.pop();
  if (!is_lost(event.rank)) rank(event.rank).stage_ended(event.stage, event.trajectory);
}

void VirtualCluster::coordinator_waits() {
  traffic_.coordinator_s += working_s();
  if (charge_coordinator_) time_.stand_still();
}

void VirtualCluster::coordinator_works() {
  working_since_s_ = processor_time_s();
  if (charge_coordinator_) time_.run_with_the_machine();
}

}  // namespace ptxbatch
