#include "ranks/generation.h"

#include <algorithm>

#include "common/clock.h"

namespace ptxbatch {

bool is_gateway(const Experiment& experiment, int rank) {
  const std::vector<int>& ranks = experiment.rank.gateway_ranks;
  return experiment.rank.gateways && std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

Generation::Generation(const Experiment& experiment, int rank, int life, const ApiKeys& keys,
                       Links links)
    : experiment_(experiment),
      keys_(keys),
      links_(std::move(links)),
      relayed_(experiment.rank.gateways && !is_gateway(experiment, rank)),
      relays_begun_(static_cast<std::uint64_t>(life) << 32U),
      permits_([this](RankMessage message) { post_message(std::move(message)); }) {}

Generation::~Generation() {
  close();
}

void Generation::post_message(RankMessage message) {
  // Shared, since std::function must be copyable.
  links_.post(
      [this, held = std::make_shared<RankMessage>(std::move(message))] { links_.say(*held); });
}

Status Generation::start() {
  for (const ModelSpec& model : experiment_.models) {
    if (needs_http(model) && relayed_) {
      auto client = std::make_unique<RelayClient>(
          [this](RankMessage message) { post_message(std::move(message)); },
          [this] { return ++relays_begun_; });
      relays_.push_back(client.get());
      clients_[model.name] = std::move(client);
      continue;
    }
    if (needs_http(model) && !loop_) loop_ = std::make_unique<HttpLoop>();
    auto client = make_model_client(model, context());
    if (!client) return fail(client.error());
    clients_[model.name] = std::move(*client);
  }
  return {};
}

ClientContext Generation::context() {
  return {experiment_.budgets.generate_s, loop_.get(), &permits_, &keys_};
}

void Generation::request(ModelRequest request) {
  if (stopping_) return;
  waiting_.push(std::move(request));
  begin_waiting();
}

void Generation::begin_waiting() {
  while (!stopping_ && out_ < experiment_.rank.generating) {
    auto next = waiting_.pop();
    if (!next) return;
    begin(std::move(*next));
  }
}

void Generation::begin(ModelRequest request) {
  ModelClient& client = *clients_.at(request.trajectory.model);
  const bool paid = client.paid();
  ++out_;
  out_paid_ += paid ? 1 : 0;
  const auto asked_at = SteadyClock::now();
  const std::int32_t index = request.trajectory.index;
  std::string sha256 = request.request_sha256;
  client.submit(std::move(request), [this, index, sha256, asked_at, paid](ModelResult result) {
    auto held = std::make_shared<ModelResult>(std::move(result));
    links_.post([this, index, sha256, asked_at, paid, held] {
      if (stopping_ && !paid) return;  // dropped by stop()
      --out_;
      out_paid_ -= paid ? 1 : 0;
      links_.answered(index, sha256, seconds_since(asked_at), std::move(*held));
      begin_waiting();
    });
  });
}

void Generation::handle(RelayedRequest& request) {
  const auto client = clients_.find(request.trajectory.model);
  const std::int32_t rank = request.rank;
  const std::uint64_t number = request.number;
  if (client == clients_.end() || stopping_) {
    RelayedReply refusal;
    refusal.rank = rank;
    refusal.number = number;
    refusal.failure =
        RelayedReply::Failure{static_cast<std::int32_t>(ModelFailure::Kind::kTransport), "stopped",
                              "the gateway stops", ""};
    links_.say(refusal);
    return;
  }
  ++out_;
  ++out_paid_;
  client->second->submit(request_of(std::move(request)),
                         [this, rank, number](const ModelResult& result) {
                           auto reply = std::make_shared<RelayedReply>(to_relayed(result));
                           reply->rank = rank;
                           reply->number = number;
                           links_.post([this, reply] {
                             --out_;
                             --out_paid_;
                             links_.say(*reply);
                           });
                         });
}

void Generation::handle(RelayedReply& reply) {
  for (RelayClient* relay : relays_) {
    if (relay->take(reply)) return;
  }
}

void Generation::stop() {
  if (stopping_) return;
  stopping_ = true;
  waiting_.clear();
  out_ = out_paid_;
  for (const auto& [name, client] : clients_) client->stop();
}

void Generation::close() {
  waiting_.clear();
  relays_.clear();
  clients_.clear();
  loop_.reset();
}

}  // namespace ptxbatch
