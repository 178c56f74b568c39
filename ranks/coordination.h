// What ranks and the coordinator say to each other. Small typed messages, CBOR on the wire; the
// transport (orchestrator/) moves bytes and knows nothing of them.
//
//   rank -> coordinator              coordinator -> rank
//   Hello                            Welcome | Refusal
//   WorkRequest                      Assignment, one at a time ... NoMoreWork
//   RecordMessage (numbered)         Acknowledgement: everything up to this number is on disk
//   PermitRequest, PermitReturn      PermitGrant: the request may be sent, and is on disk
//   PutBack                          Stop
//   Activity
//   Goodbye                          Farewell: everything is on disk, the process may end
//   Heartbeat                        Heartbeat
//                                    Dismissed: given up for being silent; Hello begins afresh
//
// Messages of one rank arrive in their order. So all that comes from a rank between being given up
// and its next Hello is late, and is ignored.
//
// With gateways, model requests and replies travel through the coordinator too: RelayedRequest to a
// gateway and RelayedReply back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.h"
#include "ranks/prompt/prompt.h"
#include "ranks/visible_gpus.h"
#include "results/records.h"

namespace ptxbatch {

struct Hello {
  std::string program_version;
  std::string git_commit;
  std::string host;  // Slurm's name of the node where it has one
  /// In the order of this process's ordinals; nothing when it cannot be known.
  std::optional<std::vector<VisibleGpu>> gpus = std::nullopt;
};

/// Asks for work, standing: as long as the rank holds fewer trajectories than it has places, it
/// wants more.
struct WorkRequest {
  std::int32_t places = 0;
  bool out_of_service = false;  // its device will judge nothing more in this run
};

struct RecordMessage {
  std::uint64_t number = 0;  // counts from 1 on each rank
  Record record;
};

/// A sign of life, sent both ways from threads that no stage of the work can block.
struct Heartbeat {};

/// What a rank's device does for the run.
enum class DeviceService : std::int8_t { kInService = 0, kPaused = 1, kOutOfService = 2 };

/// For the progress line and `ptxbatch status`; sent now and then, lossy.
struct Activity {
  std::int32_t generating = 0;
  std::int32_t compiling = 0;  // in the compile pool or waiting for it
  std::int32_t judging = 0;    // on the device or waiting for it
  double device_busy_s = 0;    // since the rank started
  double up_s = 0;             // since the rank started
  DeviceService device = DeviceService::kInService;
};

/// Asks for leave to send a request to a model.
struct PermitRequest {
  std::uint64_t number = 0;  // the rank's own
  RequestRecord request;
  std::int64_t tokens = 0;  // estimated, of prompt and reply
};

/// Once for each PermitRequest, granted or not.
struct PermitReturn {
  std::uint64_t number = 0;
  std::int64_t tokens = 0;  // used
  double pause_s = 0;       // the provider asks for no request for so long
};

/// The model cannot be reached now, or the rank's device is out of service or, as the run stops,
/// not waited for: the trajectory goes to whoever asks for work later.
struct PutBack {
  std::int32_t trajectory = 0;
  std::string message;
  bool blameless = false;  // nothing speaks against the trajectory itself: it is not counted
};

/// A model request on its way to a gateway. `rank` is filled in by the coordinator.
struct RelayedRequest {
  std::int32_t rank = 0;
  std::uint64_t number = 0;  // that rank's own
  PlannedTrajectory trajectory;
  std::int32_t turn = 0;
  std::vector<Message> messages;
  std::string request_sha256;
  std::int64_t prompt_tokens = 0;
};

/// What came of it: a reply, the end of the conversation, or a failure.
struct RelayedReply {
  struct Failure {
    std::int32_t kind = 0;  // ModelFailure::Kind
    std::string cause;
    std::string what;
    std::string hint;
  };
  std::int32_t rank = 0;  // that asked
  std::uint64_t number = 0;
  std::optional<ReplyRecord> reply;
  std::optional<TrajectoryEnd> end_without_reply;
  std::string reason;
  std::optional<Failure> failure;
};

/// The rank's last message. With an `error` it never became able to work.
struct Goodbye {
  std::string error;
};

using RankMessage =
    std::variant<Hello, WorkRequest, RecordMessage, PermitRequest, PermitReturn, PutBack,
                 RelayedRequest, RelayedReply, Activity, Heartbeat, Goodbye>;

struct Welcome {
  std::string experiment_file;  // for messages and relative paths
  std::string experiment_text;
  std::int32_t session = 0;
  std::int32_t device = 0;  // ordinal of its GPU, or among the ranks of this host
};

struct Refusal {
  std::string message;
};

/// A trajectory to work on, from its first turn or from where an earlier session left it.
struct Assignment {
  struct FinishedTurn {
    std::string reply;
    std::string feedback;
    std::int64_t prompt_tokens = 0;  // of the request that the reply answered
  };
  PlannedTrajectory trajectory;
  std::vector<FinishedTurn> history;         // turns already judged, in order
  std::optional<ReplyRecord> pending_reply;  // paid for and journalled, not judged yet
  // That its earlier replies answer. It goes on with this one, also when the pack has changed
  // since.
  std::optional<PromptRecord> prompt;
};

struct NoMoreWork {};

struct Acknowledgement {
  std::uint64_t number = 0;
};

struct PermitGrant {
  std::uint64_t number = 0;
};

struct Stop {
  double grace_s = 0;  // turns in hand may be finished for this long, then they are abandoned
};

/// The rank was silent for too long: what it held belongs to others now, and nothing that it says
/// counts until it says Hello again.
struct Dismissed {};

/// The coordinator's last message.
struct Farewell {};

using CoordinatorMessage =
    std::variant<Welcome, Refusal, Assignment, NoMoreWork, Acknowledgement, PermitGrant,
                 RelayedRequest, RelayedReply, Stop, Heartbeat, Dismissed, Farewell>;

std::string encode_message(const RankMessage& message);
std::string encode_message(const CoordinatorMessage& message);
/// kProtocol, naming the field, when the bytes are not such a message.
Result<RankMessage> decode_rank_message(std::string_view bytes);
Result<CoordinatorMessage> decode_coordinator_message(std::string_view bytes);

}  // namespace ptxbatch
