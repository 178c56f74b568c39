// The coordinator and ranks that fall silent.
#include <fmt/format.h>

#include "common/log.h"
#include "orchestrator/coordinator.h"
#include "orchestrator/duration_text.h"
#include "orchestrator/heart.h"

namespace ptxbatch {

bool Coordinator::listen_to(int rank, const RankMessage& message) {
  Rank& sender = ranks_[rank];
  sender.silent_beats = 0;
  if (!sender.given_up) return true;
  if (std::holds_alternative<Hello>(message)) {
    append_event("rank_returned", fmt::format("rank {} on {} begins afresh", rank, sender.host));
    const std::string host = sender.host;
    const int device = sender.device;
    const bool was_fit = sender.was_fit;
    sender = Rank{};
    sender.host = host;
    sender.device = device;
    sender.was_fit = was_fit;
    traffic_.rank_returned(rank);
    return true;
  }
  if (std::holds_alternative<Goodbye>(message)) {
    sender.given_up = false;  // and not present: its process can be waited for
  } else if (!sender.told_dismissed) {
    sender.told_dismissed = true;
    transport_.send(rank, encode_message(Dismissed{}));
  }
  return false;
}

// One beat is counted however long the coordinator itself was held up, and none while messages lie
// unread: a sign of life may be among them.
void Coordinator::give_up_silent_ranks() {
  const double silence_s = experiment_.rank.silence_s;
  if (silence_s <= 0 || backlog_) return;
  if (time_.seconds_since(listened_at_) < silence_s / kBeatsOfSilence) return;
  listened_at_ = time_.now();
  for (auto& [number, rank] : ranks_) {
    if (rank.present && ++rank.silent_beats > kBeatsOfSilence) give_up_rank(number);
  }
}

void Coordinator::give_up_rank(int number) {
  Rank& rank = ranks_[number];
  const std::string what = fmt::format(
      "rank {} on {} has been silent for {} and is given up; what it had in hand ({} of the "
      "trajectories) is queued again",
      number, rank.host.empty() ? "an unknown host" : rank.host,
      duration_text(experiment_.rank.silence_s), rank.in_hand.size());
  progress_.finish_line();
  spdlog::error("{}", what);
  rank.given_up = true;
  append_event("rank_lost", what);
  miss(number);
  if (workers_present() > 0 || stopping_ || error_) return;
  error_ = Error{ErrorKind::kSystem,
                 "every rank that works has fallen silent",
                 "Look at their hosts. The same command goes on from here.",
                 {},
                 0,
                 0,
                 {}};
}

}  // namespace ptxbatch
