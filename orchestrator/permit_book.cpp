#include "orchestrator/permit_book.h"

#include <algorithm>

namespace ptxbatch {
namespace {

constexpr std::chrono::seconds kMinute(60);

}  // namespace

PermitBook::PermitBook(const std::vector<ModelSpec>& models) {
  for (const ModelSpec& model : models) {
    if (!model.base.empty()) bases_[model.name] = model.base;
    model_of(model.name).limits = model.endpoint.limits;
  }
}

PermitBook::Model& PermitBook::model_of(const std::string& row) {
  const auto base = bases_.find(row);
  return models_[base == bases_.end() ? row : base->second];
}

void PermitBook::ask(const std::string& model, Key key, std::int64_t tokens) {
  model_of(model).waiting.push_back({key, tokens});
}

bool PermitBook::may_grant(const Model& model, std::int64_t tokens, SteadyClock::time_point now) {
  const ModelLimits& limits = model.limits;
  if (now < model.paused_until) return false;
  if (limits.in_flight > 0 && model.in_flight >= limits.in_flight) return false;
  const auto requests = static_cast<int>(model.last_minute.size());
  if (limits.requests_per_minute > 0 && requests >= limits.requests_per_minute) return false;
  if (limits.tokens_per_minute == 0 || requests == 0) return true;
  return model.tokens_of_last_minute + tokens <= limits.tokens_per_minute;
}

std::vector<PermitBook::Key> PermitBook::grant(SteadyClock::time_point now) {
  std::vector<Key> granted;
  for (auto& [name, model] : models_) {
    while (!model.last_minute.empty() && model.last_minute.front()->at + kMinute <= now) {
      Grant& old = *model.last_minute.front();
      model.tokens_of_last_minute -= old.tokens;
      old.in_last_minute = false;
      model.last_minute.pop_front();
    }
    while (!model.waiting.empty() && may_grant(model, model.waiting.front().tokens, now)) {
      const Waiting next = model.waiting.front();
      model.waiting.pop_front();
      const auto grant = std::make_shared<Grant>(Grant{now, next.tokens});
      model.last_minute.push_back(grant);
      model.tokens_of_last_minute += next.tokens;
      ++model.in_flight;
      held_[next.key] = {&model, grant};
      granted.push_back(next.key);
    }
  }
  return granted;
}

void PermitBook::give_back(Key key, std::int64_t tokens, double pause_s,
                           SteadyClock::time_point now) {
  const auto held = held_.find(key);
  if (held == held_.end()) {
    for (auto& [name, model] : models_) {
      std::erase_if(model.waiting, [&](const Waiting& waiting) { return waiting.key == key; });
    }
    return;
  }
  Model& model = *held->second.model;
  Grant& grant = *held->second.grant;
  if (grant.in_last_minute) model.tokens_of_last_minute += tokens - grant.tokens;
  grant.tokens = tokens;
  --model.in_flight;
  if (pause_s > 0) {
    model.paused_until = std::max(model.paused_until, now + duration_of(pause_s));
  }
  held_.erase(held);
}

void PermitBook::drop_rank(int rank) {
  for (auto& [name, model] : models_) {
    std::erase_if(model.waiting, [&](const Waiting& waiting) { return waiting.key.rank == rank; });
  }
  std::erase_if(held_, [&](const auto& entry) {
    if (entry.first.rank != rank) return false;
    --entry.second.model->in_flight;
    return true;
  });
}

int PermitBook::in_flight(const std::string& model) const {
  const auto base = bases_.find(model);
  const auto found = models_.find(base == bases_.end() ? model : base->second);
  return found == models_.end() ? 0 : found->second.in_flight;
}

int PermitBook::waiting(const std::string& model) const {
  const auto found = models_.find(model);
  return found == models_.end() ? 0 : static_cast<int>(found->second.waiting.size());
}

}  // namespace ptxbatch
