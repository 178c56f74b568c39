// A model as the pipeline sees it: a request goes out, a reply comes back later. One client serves
// all trajectories of a rank.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/experiment.h"
#include "ranks/prompt/prompt.h"
#include "results/records.h"

namespace ptxbatch {

struct ModelRequest {
  PlannedTrajectory trajectory;
  int turn = 0;
  std::vector<Message> messages;
  std::string request_sha256;
  std::int64_t prompt_tokens = 0;  // an estimate
};

/// What came back: a reply (trajectory, turn, prompt and request hash filled in by the caller), or
/// the reason why the conversation cannot have one.
struct ModelReply {
  ReplyRecord reply;
  std::optional<TrajectoryEnd> end_without_reply;
  std::string reason;  // for people, with end_without_reply
};

/// Why a request has no reply, after all attempts.
struct ModelFailure {
  enum class Kind {
    kTransport,  // may go well later
    kRequest,    // this request is refused
    kModel,      // every request to this model will fail like it: key, address, name, certificate
  };
  Kind kind = Kind::kTransport;
  std::string cause;  // a stable tag: "http_503", "idle", "certificate"
  Error error;
};

using ModelResult = tl::expected<ModelReply, ModelFailure>;

class ModelClient {
 public:
  using Done = std::function<void(ModelResult)>;
  virtual ~ModelClient() = default;
  /// Returns at once; `done` is called exactly once, from a thread of the client's, unless the
  /// client is destroyed first.
  virtual void submit(ModelRequest request, Done done) = 0;
  /// Whether a reply that is dropped was paid for.
  [[nodiscard]] virtual bool paid() const = 0;
  /// No request is sent any more: those that are not out end in a failure, the others as they do.
  virtual void stop() {}
};

class ApiKeys;
class HttpLoop;
class PermitGate;

/// What clients share on a rank; all of it outlives them.
struct ClientContext {
  double timeout_s = 0;  // recorded: of a reply; HTTP: no attempt begins after it
  HttpLoop* loop = nullptr;
  PermitGate* permits = nullptr;
  const ApiKeys* keys = nullptr;
};

Result<std::unique_ptr<ModelClient>> make_model_client(const ModelSpec& model,
                                                       const ClientContext& context);

/// Whether the model is one behind HTTP.
bool needs_http(const ModelSpec& model);

/// SHA-256 of what decides a reply: the model's settings and the messages.
std::string request_hash(const ModelSpec& model, const std::vector<Message>& messages);

}  // namespace ptxbatch
