// One call is a small state machine on the loop's thread: wait for a permit, send, take the stream,
// and then either answer or wait for the next attempt. Nothing of it runs elsewhere.
#include "ranks/generate/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "common/clock.h"
#include "ranks/generate/api_keys.h"
#include "ranks/generate/http_loop.h"
#include "ranks/generate/permit_gate.h"
#include "ranks/generate/reply_stream.h"
#include "ranks/generate/token_estimate.h"
#include "ranks/generate/wire_format.h"

namespace ptxbatch {
namespace {

constexpr std::int64_t kFirstGuessReplyTokens = 2000;

struct Call {
  ModelRequest request;
  ModelClient::Done done;
  std::int64_t max_tokens = 0;
  int attempts = 0;
  bool sent = false;  // a transfer is out
  std::optional<std::uint64_t> permit;
  SteadyClock::time_point begun_at = SteadyClock::now();
  double first_text_s = 0;  // of the last attempt, since it was sent
};

// Lives as long as anything on the loop may still call it.
class Calls : public std::enable_shared_from_this<Calls> {
 public:
  Calls(ModelSpec model, const ClientContext& context)
      : model_(std::move(model)),
        context_(context),
        format_(*find_wire_format(model_.provider)),
        random_(std::random_device()()) {}

  void add(ModelRequest request, ModelClient::Done done) {
    auto call = std::make_shared<Call>();
    call->request = std::move(request);
    call->done = std::move(done);
    const std::uint64_t number = ++calls_begun_;
    calls_[number] = call;
    if (!fits_context(*call)) return finish_exhausted(number, context_reason(*call));
    begin_attempt(number);
  }

  // What waits for a permit or for its next attempt ends now; what is out may still end well.
  void stop() {
    stopping_ = true;
    std::vector<std::uint64_t> waiting;
    for (const auto& [number, call] : calls_) {
      if (!call->sent) waiting.push_back(number);
    }
    for (const std::uint64_t number : waiting) {
      give_permit_back(*calls_.at(number), 0, 0);
      finish_stopped(number);
    }
  }

  // Nothing is called any more afterwards.
  void abandon() {
    for (const auto& [number, call] : calls_) {
      if (call->permit) context_.permits->give_back(*call->permit, {});
    }
    calls_.clear();
  }

  void take_end(std::uint64_t number, ReplyStream& stream, const HttpEnd& end);
  HttpObserver::Next take_data(std::uint64_t number, ReplyStream& stream, const HttpHead& head,
                               std::string_view bytes, SteadyClock::time_point sent_at);

  [[nodiscard]] const ModelSpec& model() const { return model_; }
  [[nodiscard]] const WireFormat& format() const { return format_; }

 private:
  // --- the model's context ---

  [[nodiscard]] std::int64_t room_for_reply(const Call& call) const {
    return model_.endpoint.context_tokens - call.request.prompt_tokens;
  }

  bool fits_context(Call& call) const {
    const EndpointSpec& endpoint = model_.endpoint;
    call.max_tokens = endpoint.max_tokens;
    if (endpoint.context_tokens == 0) return true;
    const std::int64_t room = room_for_reply(call);
    if (endpoint.max_tokens > 0) call.max_tokens = std::min(endpoint.max_tokens, room);
    return room >= endpoint.least_reply_tokens;
  }

  [[nodiscard]] std::string context_reason(const Call& call) const {
    return fmt::format(
        "the next prompt has about {} tokens, which leaves {} of the model's {} for a reply; at "
        "least {} are wanted",
        call.request.prompt_tokens, std::max<std::int64_t>(0, room_for_reply(call)),
        model_.endpoint.context_tokens, model_.endpoint.least_reply_tokens);
  }

  // --- an attempt ---

  void begin_attempt(std::uint64_t number) {
    Call& call = *calls_.at(number);
    if (stopping_) return finish_stopped(number);
    if (unusable_) return finish(number, tl::unexpected(*unusable_));
    if (!model_.endpoint.api_key_env.empty() && key() == nullptr) {
      return give_up(number, missing_key());
    }
    ++call.attempts;
    RequestRecord record;
    record.trajectory = call.request.trajectory.index;
    record.turn = call.request.turn;
    record.attempt = call.attempts;
    record.request_sha256 = call.request.request_sha256;
    record.asked_at_s = unix_time_s();
    const std::int64_t tokens = call.request.prompt_tokens + expected_reply_tokens_;
    call.permit = context_.permits->ask(
        std::move(record), tokens, [loop = context_.loop, weak = weak_from_this(), number] {
          loop->post([weak, number] {
            if (const auto self = weak.lock(); self && self->calls_.contains(number)) {
              self->send(number);
            }
          });
        });
  }

  void send(std::uint64_t number);

  [[nodiscard]] const std::string* key() const {
    return context_.keys == nullptr ? nullptr : context_.keys->find(model_.endpoint.api_key_env);
  }

  [[nodiscard]] AttemptFault missing_key() const {
    AttemptFault fault;
    fault.kind = ModelFailure::Kind::kModel;
    fault.cause = "key_missing";
    fault.what = "the environment variable " + model_.endpoint.api_key_env + " holds no key";
    fault.hint = "Set it where this rank runs; under mpirun pass it on with: -x " +
                 model_.endpoint.api_key_env;
    return fault;
  }

  void give_permit_back(Call& call, std::int64_t tokens, double pause_s) const {
    if (!call.permit) return;
    context_.permits->give_back(*call.permit, {tokens, pause_s});
    call.permit.reset();
  }

  // --- its end ---

  void retry_or_give_up(std::uint64_t number, const AttemptFault& fault) {
    if (stopping_) return finish_stopped(number);
    Call& call = *calls_.at(number);
    const RetrySettings& retries = model_.endpoint.retries;
    const double share = std::uniform_real_distribution<double>(0, 1)(random_);
    const double delay_s = backoff_s(retries, call.attempts, fault.retry_after_s, share);
    const bool in_time = seconds_since(call.begun_at) + delay_s < context_.timeout_s;
    if (!fault.retry || call.attempts >= retries.attempts || !in_time) {
      return give_up(number, fault);
    }
    context_.loop->after(delay_s, [weak = weak_from_this(), number] {
      if (const auto self = weak.lock(); self && self->calls_.contains(number)) {
        self->begin_attempt(number);
      }
    });
  }

  void give_up(std::uint64_t number, const AttemptFault& fault) {
    const Call& call = *calls_.at(number);
    if (fault.context_exhausted) return finish_exhausted(number, redact(fault.what));
    ModelFailure failure;
    failure.kind = fault.kind;
    failure.cause = fault.cause;
    failure.error.kind = ErrorKind::kSystem;
    failure.error.what = "model '" + model_.name + "': " + redact(fault.what);
    if (call.attempts > 1) failure.error.what += fmt::format(", after {} attempts", call.attempts);
    failure.error.hint = fault.hint;
    // What no request can get past is not tried again and again.
    if (fault.kind == ModelFailure::Kind::kModel) unusable_ = failure;
    finish(number, tl::unexpected(std::move(failure)));
  }

  [[nodiscard]] std::string redact(const std::string& text) const {
    return context_.keys == nullptr ? text : context_.keys->redact(text);
  }

  void finish_stopped(std::uint64_t number) {
    ModelFailure failure;
    failure.cause = "stopped";
    failure.error.what = "the run stops";
    finish(number, tl::unexpected(std::move(failure)));
  }

  void finish_exhausted(std::uint64_t number, std::string reason) {
    ModelReply reply;
    reply.end_without_reply = TrajectoryEnd::kContextExhausted;
    reply.reason = std::move(reason);
    finish(number, std::move(reply));
  }

  void finish(std::uint64_t number, ModelResult result) {
    const auto call = std::move(calls_.extract(number).mapped());
    call->done(std::move(result));
  }

  [[nodiscard]] ModelReply make_reply(const Call& call, ReplyDraft draft, double seconds) const;
  static void set_tokens(ReplyRecord& reply, const TokenUsage& usage,
                         std::int64_t estimated_prompt);

  ModelSpec model_;
  ClientContext context_;
  const WireFormat& format_;
  std::mt19937_64 random_;
  std::map<std::uint64_t, std::shared_ptr<Call>> calls_;  // by number
  std::uint64_t calls_begun_ = 0;
  std::int64_t expected_reply_tokens_ = kFirstGuessReplyTokens;  // a running mean
  std::optional<ModelFailure> unusable_;
  bool stopping_ = false;
};

// A transfer's way back to its call.
class CallObserver final : public HttpObserver {
 public:
  CallObserver(const std::shared_ptr<Calls>& calls, std::uint64_t number)
      : calls_(calls), number_(number), stream_(calls->format(), calls->model().endpoint) {}

  Next on_data(const HttpHead& head, std::string_view bytes) override {
    return calls_->take_data(number_, stream_, head, bytes, sent_at_);
  }
  void on_end(const HttpEnd& end) override { calls_->take_end(number_, stream_, end); }

 private:
  std::shared_ptr<Calls> calls_;
  std::uint64_t number_;
  ReplyStream stream_;
  SteadyClock::time_point sent_at_ = SteadyClock::now();
};

void Calls::send(std::uint64_t number) {
  Call& call = *calls_.at(number);
  call.sent = true;
  const EndpointSpec& endpoint = model_.endpoint;
  HttpRequest request;
  request.url = format_.request_url(endpoint);
  request.ca_file = endpoint.ca_file;
  request.clocks = endpoint.clocks;
  request.body = request_body(format_, endpoint, call.request.messages, call.max_tokens)
                     .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  request.headers = format_.headers();
  request.headers.emplace_back("Content-Type: application/json");
  if (endpoint.stream) request.headers.emplace_back("Accept: text/event-stream");
  for (const auto& [name, value] : endpoint.headers)
    request.headers.push_back(fmt::format("{}: {}", name, value));
  if (const std::string* secret = key(); secret != nullptr) {
    const auto [name, value] = format_.key_header(*secret);
    request.headers.push_back(fmt::format("{}: {}", name, value));
  }
  context_.loop->start(std::move(request),
                       std::make_shared<CallObserver>(shared_from_this(), number));
}

HttpObserver::Next Calls::take_data(std::uint64_t number, ReplyStream& stream, const HttpHead& head,
                                    std::string_view bytes, SteadyClock::time_point sent_at) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return HttpObserver::Next::kStop;  // abandoned meanwhile
  const bool had_text = stream.has_text();
  const auto next = stream.take(head, bytes);
  if (!had_text && stream.has_text()) found->second->first_text_s = seconds_since(sent_at);
  return next;
}

void Calls::take_end(std::uint64_t number, ReplyStream& stream, const HttpEnd& end) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  Call& call = *found->second;
  call.sent = false;
  auto draft = stream.finish(end);
  if (!draft) {
    give_permit_back(call, call.request.prompt_tokens, draft.error().retry_after_s.value_or(0));
    retry_or_give_up(number, draft.error());
    return;
  }
  ModelReply reply = make_reply(call, std::move(*draft), end.seconds);
  const std::int64_t completion = reply.reply.completion_tokens;
  expected_reply_tokens_ += (completion - expected_reply_tokens_) / 8;
  // The reply goes first: what it cost is known before the permit serves the next request.
  const PermitUse use{reply.reply.prompt_tokens + completion, 0};
  const auto permit = std::exchange(call.permit, std::nullopt);
  finish(number, std::move(reply));
  if (permit) context_.permits->give_back(*permit, use);
}

ModelReply Calls::make_reply(const Call& call, ReplyDraft draft, double seconds) const {
  const EndpointSpec& endpoint = model_.endpoint;
  ModelReply result;
  ReplyRecord& reply = result.reply;
  reply.text = std::move(draft.text);
  reply.reasoning = std::move(draft.reasoning);
  reply.end = *draft.end;
  reply.model_requested = endpoint.model;
  reply.model_returned = std::move(draft.model);
  reply.response_id = std::move(draft.response_id);
  reply.fingerprint = std::move(draft.fingerprint);
  reply.attempts = call.attempts;
  reply.latency_s = seconds;
  reply.first_text_s = call.first_text_s;
  set_tokens(reply, draft.usage, call.request.prompt_tokens);
  reply.cost_usd = draft.cost_usd ? *draft.cost_usd : cost_usd(endpoint.prices, reply);
  // The window was full before the reply's own limit: no later turn can have more room.
  const bool window_full = reply.end == ReplyEnd::kTruncated && endpoint.context_tokens > 0 &&
                           reply.prompt_tokens + reply.completion_tokens >= endpoint.context_tokens;
  if (window_full) reply.end = ReplyEnd::kContextExhausted;
  return result;
}

// What the provider counted, and estimates of what it did not. One that does not count reasoning
// says nothing of it or 0, beside its text.
void Calls::set_tokens(ReplyRecord& reply, const TokenUsage& usage, std::int64_t estimated_prompt) {
  const std::int64_t thought =
      reply.reasoning.empty() ? 0 : estimated_tokens(reply.reasoning.size());
  reply.usage_estimated = !usage.known;
  reply.reasoning_estimated = thought > 0 && (!usage.known || usage.reasoning == 0);
  if (usage.known) {
    reply.prompt_tokens = usage.prompt;
    reply.completion_tokens = usage.completion;
    reply.reasoning_tokens =
        reply.reasoning_estimated ? std::min(thought, usage.completion) : usage.reasoning;
    reply.cached_tokens = usage.cached;
  } else {
    reply.prompt_tokens = estimated_prompt;
    reply.reasoning_tokens = thought;
    reply.completion_tokens = thought + estimated_tokens(reply.text.size());
  }
}

class HttpClient final : public ModelClient {
 public:
  HttpClient(const ModelSpec& model, const ClientContext& context)
      : loop_(*context.loop), calls_(std::make_shared<Calls>(model, context)) {}
  ~HttpClient() override {
    loop_.run([this] { calls_->abandon(); });
  }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  void submit(ModelRequest request, Done done) override {
    // Shared, since std::function must be copyable.
    auto held =
        std::make_shared<std::pair<ModelRequest, Done>>(std::move(request), std::move(done));
    loop_.post(
        [calls = calls_, held] { calls->add(std::move(held->first), std::move(held->second)); });
  }
  [[nodiscard]] bool paid() const override { return true; }
  void stop() override {
    loop_.post([calls = calls_] { calls->stop(); });
  }

 private:
  HttpLoop& loop_;
  std::shared_ptr<Calls> calls_;
};

}  // namespace

double cost_usd(const ModelPrices& prices, const ReplyRecord& reply) {
  constexpr double kPerMillion = 1e-6;
  const double cached_price = prices.cached > 0 ? prices.cached : prices.prompt;
  const auto cached = static_cast<double>(std::min(reply.cached_tokens, reply.prompt_tokens));
  const double fresh = static_cast<double>(reply.prompt_tokens) - cached;
  return kPerMillion * (fresh * prices.prompt + cached * cached_price +
                        static_cast<double>(reply.completion_tokens) * prices.completion);
}

std::unique_ptr<ModelClient> make_http_client(const ModelSpec& model,
                                              const ClientContext& context) {
  return std::make_unique<HttpClient>(model, context);
}

}  // namespace ptxbatch
