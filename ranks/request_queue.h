// Model requests of a rank that wait until a call may begin. The trajectory that has come furthest
// goes first, else the one that asked first: so what was begun comes to its end, and a long
// trajectory does not wait for a newer one at every turn.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "ranks/generate/model_client.h"

namespace ptxbatch {

class RequestQueue {
 public:
  void push(ModelRequest request) {
    const auto place = std::upper_bound(
        waiting_.begin(), waiting_.end(), request,
        [](const ModelRequest& one, const ModelRequest& other) { return one.turn > other.turn; });
    waiting_.insert(place, std::move(request));
  }
  std::optional<ModelRequest> pop() {
    if (waiting_.empty()) return std::nullopt;
    ModelRequest next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }
  void clear() { waiting_.clear(); }

 private:
  std::deque<ModelRequest> waiting_;
};

}  // namespace ptxbatch
