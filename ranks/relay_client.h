// A model whose HTTP is done by another rank, a gateway: requests go through the coordinator.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "ranks/coordination.h"
#include "ranks/generate/model_client.h"

namespace ptxbatch {

class RelayClient final : public ModelClient {
 public:
  /// `say` takes a message for the coordinator, from any thread; `next_number` is the rank's.
  RelayClient(std::function<void(RankMessage)> say, std::function<std::uint64_t()> next_number)
      : say_(std::move(say)), next_number_(std::move(next_number)) {}

  void submit(ModelRequest request, Done done) override;
  [[nodiscard]] bool paid() const override { return true; }

  /// False when the reply is not one to a request of this client.
  bool take(RelayedReply& reply);

 private:
  std::function<void(RankMessage)> say_;
  std::function<std::uint64_t()> next_number_;
  std::mutex mutex_;
  std::map<std::uint64_t, Done> waiting_;
};

/// A result as a message, and back.
RelayedReply to_relayed(const ModelResult& result);
ModelResult from_relayed(RelayedReply reply);

/// At a gateway: the request as its client takes it.
ModelRequest request_of(RelayedRequest message);

}  // namespace ptxbatch
