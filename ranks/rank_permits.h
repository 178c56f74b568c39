// A rank's side of permits: model clients ask from their threads, the dispatcher talks to the
// coordinator.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "ranks/coordination.h"
#include "ranks/generate/permit_gate.h"

namespace ptxbatch {

class RankPermits final : public PermitGate {
 public:
  /// `say` takes a message for the coordinator, from any thread.
  explicit RankPermits(std::function<void(RankMessage)> say) : say_(std::move(say)) {}

  std::uint64_t ask(RequestRecord request, std::int64_t tokens,
                    std::function<void()> granted) override;
  void give_back(std::uint64_t permit, PermitUse use) override;

  void grant(std::uint64_t permit);

 private:
  std::function<void(RankMessage)> say_;
  std::mutex mutex_;
  std::uint64_t asked_ = 0;
  std::map<std::uint64_t, std::function<void()>> waiting_;
};

}  // namespace ptxbatch
