#include "orchestrator/model_traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/log.h"
#include "ranks/generation.h"

namespace ptxbatch {

ModelTraffic::ModelTraffic(const Experiment& experiment, RunStore& store, Transport& transport,
                           const TimeSource& time)
    : experiment_(experiment),
      store_(store),
      transport_(transport),
      time_(time),
      book_(experiment.models) {
  for (const int rank : transport.ranks()) {
    if (ptxbatch::is_gateway(experiment, rank)) gateways_[rank];
  }
}

void ModelTraffic::take(int rank, const PermitRequest& request) {
  const auto& plan = store_.state().experiment()->trajectories;
  const auto index = static_cast<std::size_t>(request.request.trajectory);
  if (index >= plan.size()) return;
  const PermitBook::Key key{rank, request.number};
  asked_[key] = request.request;
  book_.ask(plan[index].model, key, request.tokens);
}

void ModelTraffic::take(int rank, const PermitReturn& permit) {
  const PermitBook::Key key{rank, permit.number};
  book_.give_back(key, permit.tokens, permit.pause_s, time_.now());
  asked_.erase(key);
}

bool ModelTraffic::take(int rank, const RelayedRequest& request) {
  const auto least = std::min_element(
      gateways_.begin(), gateways_.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (least == gateways_.end()) return false;
  RelayedRequest relayed = request;
  relayed.rank = rank;
  transport_.send(least->first, encode_message(CoordinatorMessage(relayed)));
  least->second[{rank, request.number}] = std::move(relayed);
  return true;
}

void ModelTraffic::take(int rank, const RelayedReply& reply) {
  const auto gateway = gateways_.find(rank);
  if (gateway == gateways_.end()) return;
  // Nobody waits for what a rank asked for that has left since.
  if (gateway->second.erase({reply.rank, reply.number}) == 0) return;
  transport_.send(reply.rank, encode_message(CoordinatorMessage(reply)));
}

void ModelTraffic::rank_returned(int rank) {
  if (ptxbatch::is_gateway(experiment_, rank)) gateways_[rank];
}

bool ModelTraffic::rank_left(int rank) {
  book_.drop_rank(rank);
  std::erase_if(asked_, [&](const auto& entry) { return entry.first.rank == rank; });
  std::erase_if(granted_, [&](const auto& key) { return key.rank == rank; });
  for (auto& [number, calls] : gateways_) {
    std::erase_if(calls, [&](const auto& call) { return call.first.rank == rank; });
  }
  const auto gateway = gateways_.find(rank);
  if (gateway == gateways_.end()) return true;
  // The others take over what it had in hand.
  const auto calls = std::move(gateway->second);
  gateways_.erase(gateway);
  return std::all_of(calls.begin(), calls.end(),
                     [this](const auto& call) { return take(call.first.rank, call.second); });
}

Result<bool> ModelTraffic::journal_grants() {
  if (budget_spent()) return false;
  const auto now = time_.now();
  bool any = false;
  for (const PermitBook::Key& key : book_.grant(now)) {
    const auto asked = asked_.find(key);
    if (asked == asked_.end()) continue;
    if (auto appended = store_.append(asked->second); !appended) {
      if (appended.error().kind != ErrorKind::kProtocol) return fail(appended.error());
      spdlog::error("a request of rank {} is not let go: {}", key.rank, describe(appended.error()));
      book_.give_back(key, 0, 0, now);
      continue;
    }
    granted_.push_back(key);
    any = true;
  }
  return any;
}

void ModelTraffic::send_grants() {
  for (const PermitBook::Key& key : granted_) {
    transport_.send(key.rank, encode_message(CoordinatorMessage(PermitGrant{key.number})));
    asked_.erase(key);
  }
  granted_.clear();
}

std::optional<Error> ModelTraffic::budget_spent() const {
  const SpendingLimits& limits = experiment_.spending;
  const RunState::Spending& spent = store_.state().spending();
  const auto why = [](std::string what, std::string hint) {
    return Error{ErrorKind::kConflict, std::move(what), std::move(hint), {}, 0, 0, {}};
  };
  if (limits.max_tokens > 0 && spent.tokens >= limits.max_tokens) {
    return why(fmt::format("the experiment has used {} tokens of the {} that it may", spent.tokens,
                           limits.max_tokens),
               "To go on, run the same command with --max-tokens and a larger number, or raise "
               "spending.max_tokens in the experiment file.");
  }
  if (limits.max_cost_usd > 0 && spent.cost_usd >= limits.max_cost_usd) {
    return why(fmt::format("the experiment has cost ${:.2f} of the ${:.2f} that it may",
                           spent.cost_usd, limits.max_cost_usd),
               "To go on, run the same command with --max-cost-usd and a larger sum, or raise "
               "spending.max_cost_usd in the experiment file.");
  }
  return limits.max_cost_usd > 0 ? cost_unknown() : std::nullopt;
}

std::optional<Error> ModelTraffic::cost_unknown() const {
  const auto& without_cost = store_.state().spending().without_cost;
  for (const ModelSpec& model : experiment_.models) {
    const ModelPrices& prices = model.endpoint.prices;
    if (!prices.reported || prices.given || !without_cost.contains(model.name)) continue;
    return Error{ErrorKind::kConflict,
                 fmt::format("the server of model '{}' gave no cost, so that max_cost_usd cannot "
                             "be kept",
                             model.base),
                 "Give prices.prompt and prices.completion in place of prices.reported (0: it is "
                 "free); then the same command goes on.",
                 model.file,
                 model.line,
                 0,
                 "models.prices"};
  }
  return std::nullopt;
}

}  // namespace ptxbatch
