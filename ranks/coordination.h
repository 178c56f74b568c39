// What ranks and the coordinator say to each other. Small typed messages, CBOR on the wire; the
// transport (orchestrator/) moves bytes and knows nothing of them.
//
//   rank -> coordinator              coordinator -> rank
//   Hello                            Welcome | Refusal
//   WorkRequest                      Assignment, one at a time ... NoMoreWork
//   RecordMessage (numbered)         Acknowledgement: everything up to this number is on disk
//   Activity                         Stop
//   Goodbye
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.h"
#include "results/records.h"

namespace ptxbatch {

struct Hello {
  std::string program_version;
  std::string git_commit;
  std::string host;
};

/// Asks for work, standing: as long as the rank holds fewer trajectories than it has places, it
/// wants more.
struct WorkRequest {
  std::int32_t places = 0;
};

struct RecordMessage {
  std::uint64_t number = 0;  // counts from 1 on each rank
  Record record;
};

/// For the progress line; sent when it changes, lossy.
struct Activity {
  std::int32_t generating = 0;
  std::int32_t compiling = 0;  // in the compile pool or waiting for it
  std::int32_t judging = 0;    // on the device or waiting for it
  double device_busy_s = 0;    // since the rank started
  double up_s = 0;             // since the rank started
};

/// The rank's last message. With an `error` it never became able to work.
struct Goodbye {
  std::string error;
};

using RankMessage = std::variant<Hello, WorkRequest, RecordMessage, Activity, Goodbye>;

struct Welcome {
  std::string experiment_file;  // for messages and relative paths
  std::string experiment_text;
  std::int32_t session = 0;
  std::int32_t device = 0;  // ordinal among the ranks of this host
};

struct Refusal {
  std::string message;
};

/// A trajectory to work on, from its first turn or from where an earlier session left it.
struct Assignment {
  struct FinishedTurn {
    std::string reply;
    std::string feedback;
  };
  PlannedTrajectory trajectory;
  std::vector<FinishedTurn> history;         // turns already judged, in order
  std::optional<ReplyRecord> pending_reply;  // paid for and journalled, not judged yet
};

struct NoMoreWork {};

struct Acknowledgement {
  std::uint64_t number = 0;
};

struct Stop {
  double grace_s = 0;  // turns in hand may be finished for this long, then they are abandoned
};

using CoordinatorMessage =
    std::variant<Welcome, Refusal, Assignment, NoMoreWork, Acknowledgement, Stop>;

std::string encode_message(const RankMessage& message);
std::string encode_message(const CoordinatorMessage& message);
/// kProtocol, naming the field, when the bytes are not such a message.
Result<RankMessage> decode_rank_message(std::string_view bytes);
Result<CoordinatorMessage> decode_coordinator_message(std::string_view bytes);

}  // namespace ptxbatch
