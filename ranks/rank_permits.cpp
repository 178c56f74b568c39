#include "ranks/rank_permits.h"

namespace ptxbatch {

std::uint64_t RankPermits::ask(RequestRecord request, std::int64_t tokens,
                               std::function<void()> granted) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++asked_;
    waiting_[number] = std::move(granted);
  }
  say_(PermitRequest{number, std::move(request), tokens});
  return number;
}

void RankPermits::give_back(std::uint64_t permit, PermitUse use) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.erase(permit);
  }
  say_(PermitReturn{permit, use.tokens, use.pause_s});
}

void RankPermits::grant(std::uint64_t permit) {
  std::function<void()> granted;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(permit);
    if (found == waiting_.end()) return;  // given back meanwhile
    granted = std::move(found->second);
    waiting_.erase(found);
  }
  granted();
}

}  // namespace ptxbatch
