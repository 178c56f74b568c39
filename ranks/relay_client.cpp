#include "ranks/relay_client.h"

namespace ptxbatch {

void RelayClient::submit(ModelRequest request, Done done) {
  RelayedRequest message;
  message.number = next_number_();
  message.trajectory = std::move(request.trajectory);
  message.turn = request.turn;
  message.messages = std::move(request.messages);
  message.request_sha256 = std::move(request.request_sha256);
  message.prompt_tokens = request.prompt_tokens;
  {
    const std::lock_guard lock(mutex_);
    waiting_[message.number] = std::move(done);
  }
  say_(std::move(message));
}

bool RelayClient::take(RelayedReply& reply) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(reply.number);
    if (found == waiting_.end()) return false;
    done = std::move(found->second);
    waiting_.erase(found);
  }
  done(from_relayed(std::move(reply)));
  return true;
}

RelayedReply to_relayed(const ModelResult& result) {
  RelayedReply message;
  if (!result) {
    const ModelFailure& failure = result.error();
    message.failure = RelayedReply::Failure{static_cast<std::int32_t>(failure.kind), failure.cause,
                                            failure.error.what, failure.error.hint};
    return message;
  }
  message.end_without_reply = result->end_without_reply;
  message.reason = result->reason;
  if (!result->end_without_reply) message.reply = result->reply;
  return message;
}

ModelResult from_relayed(RelayedReply reply) {
  if (reply.failure) {
    ModelFailure failure;
    failure.kind = static_cast<ModelFailure::Kind>(reply.failure->kind);
    failure.cause = std::move(reply.failure->cause);
    failure.error.kind = ErrorKind::kSystem;
    failure.error.what = std::move(reply.failure->what);
    failure.error.hint = std::move(reply.failure->hint);
    return tl::unexpected(std::move(failure));
  }
  ModelReply result;
  if (reply.reply) result.reply = std::move(*reply.reply);
  result.end_without_reply = reply.end_without_reply;
  result.reason = std::move(reply.reason);
  return result;
}

ModelRequest request_of(RelayedRequest message) {
  ModelRequest request;
  request.trajectory = std::move(message.trajectory);
  request.turn = message.turn;
  request.messages = std::move(message.messages);
  request.request_sha256 = std::move(message.request_sha256);
  request.prompt_tokens = message.prompt_tokens;
  return request;
}

}  // namespace ptxbatch
