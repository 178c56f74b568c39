// A model as the pipeline sees it: a request goes out, a reply comes back later. One client serves
// all trajectories of a rank from one thread of its own.
#pragma once

#include <functional>
#include <memory>
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
};

/// What came back: a reply (trajectory, turn, prompt and request hash filled in by the caller), or
/// `replies_exhausted` when a recorded model has no reply for this turn.
struct ModelReply {
  ReplyRecord reply;
  bool replies_exhausted = false;
};

class ModelClient {
 public:
  using Done = std::function<void(Result<ModelReply>)>;
  virtual ~ModelClient() = default;
  /// Returns at once; `done` is called exactly once, from the client's thread, unless the client is
  /// destroyed first.
  virtual void submit(ModelRequest request, Done done) = 0;
};

/// A request that has no reply within `timeout_s` ends in an error.
Result<std::unique_ptr<ModelClient>> make_model_client(const ModelSpec& model, double timeout_s);

}  // namespace ptxbatch
