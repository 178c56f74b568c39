#include "orchestrator/endpoint_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "ranks/generate/attempt_fault.h"
#include "ranks/generate/http_client.h"
#include "ranks/generate/permit_gate.h"
#include "ranks/generate/provider_json.h"
#include "ranks/generate/wire_format.h"

namespace ptxbatch {
namespace {

constexpr std::int64_t kFewTokens = 16;  // some servers refuse fewer
constexpr StreamClocks kPatience = {10, 60, 60, 60};
constexpr std::size_t kMostListBytes = 16U << 20U;
constexpr std::size_t kNamesShown = 8;

// Keeps a whole body.
class Collector final : public HttpObserver {
 public:
  Next on_data(const HttpHead& /*head*/, std::string_view bytes) override {
    body += bytes;
    return body.size() < kMostListBytes ? Next::kGoOn : Next::kStop;
  }
  void on_end(const HttpEnd& end) override { ended.set_value(end); }

  std::string body;
  std::promise<HttpEnd> ended;
};

EndpointFinding good(std::string what, std::string text) {
  return {std::move(what), true, std::move(text), ""};
}

EndpointFinding bad(std::string what, const AttemptFault& fault, const ApiKeys& keys) {
  return {std::move(what), false, keys.redact(fault.what), fault.hint};
}

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kNamesShown ? text + ", ..." : text;
}

class EndpointCheck {
 public:
  EndpointCheck(HttpLoop& loop, const ModelSpec& model, const ApiKeys& keys)
      : loop_(loop), model_(model), keys_(keys), format_(*find_wire_format(model.provider)) {
    model_.endpoint.clocks = kPatience;
    model_.endpoint.retries.attempts = 1;
    model_.endpoint.max_tokens = kFewTokens;
    model_.endpoint.context_tokens = 0;
  }

  std::vector<EndpointFinding> run() {
    if (key() && list_models()) {
      if (reply("reply", false)) reply("stream", true);
    }
    return std::move(findings_);
  }

 private:
  bool key() {
    const std::string& variable = model_.endpoint.api_key_env;
    if (variable.empty()) {
      findings_.push_back(good("key", "none is asked for"));
    } else if (keys_.find(variable) != nullptr) {
      findings_.push_back(good("key", "$" + variable + " is set"));
    } else {
      findings_.push_back({"key", false, "$" + variable + " is not set, or holds no key",
                           "Set it: export " + variable + "=..."});
      return false;
    }
    return true;
  }

  // Not every server lists its models: that alone is no fault.
  bool list_models() {
    HttpRequest request;
    request.url = format_.models_url(model_.endpoint);
    request.ca_file = model_.endpoint.ca_file;
    request.clocks = kPatience;
    request.headers = format_.headers();
    if (const std::string* key = keys_.find(model_.endpoint.api_key_env); key != nullptr) {
      const auto [name, value] = format_.key_header(*key);
      request.headers.push_back(name + ": " + value);
    }
    const auto collector = std::make_shared<Collector>();
    loop_.post([&] { loop_.start(request, collector); });
    const HttpEnd end = collector->ended.get_future().get();
    if (end.kind != HttpEnd::Kind::kComplete) {
      findings_.push_back(bad("address", fault_of_transfer(end, model_.endpoint), keys_));
      return false;
    }
    findings_.push_back(
        good("address", fmt::format("{} answered {} after {:.2f} s", model_.endpoint.url,
                                    end.head.status, end.seconds)));
    const auto body = parse_provider_json(collector->body);
    if (end.head.status == 401 || end.head.status == 403) {
      const ProviderError error = body ? format_.error_of(*body) : ProviderError{};
      findings_.push_back(
          bad("key", fault_of_status(end.head.status, error, model_.endpoint), keys_));
      return false;
    }
    const auto names = body ? format_.model_names(*body) : std::vector<std::string>{};
    add_listing(names);
    return true;
  }

  void add_listing(const std::vector<std::string>& names) {
    const std::string& wanted = model_.endpoint.model;
    if (names.empty()) {
      findings_.push_back(good("model", "the server lists no models"));
    } else if (std::find(names.begin(), names.end(), wanted) != names.end()) {
      findings_.push_back(good("model", wanted + " is listed"));
    } else {
      findings_.push_back({"model", false,
                           fmt::format("{} is not among the {} models that the server lists: {}",
                                       wanted, names.size(), names_text(names)),
                           "Give one of them as the model's name."});
    }
  }

  bool reply(const std::string& what, bool stream) {
    model_.endpoint.stream = stream;
    OpenGate gate;
    const auto client = make_http_client(model_, {60, &loop_, &gate, &keys_});
    ModelRequest request;
    request.messages = {{"user", "Answer with one word: ready"}};
    std::promise<ModelResult> answered;
    client->submit(std::move(request),
                   [&](ModelResult result) { answered.set_value(std::move(result)); });
    const ModelResult result = answered.get_future().get();
    if (!result) {
      findings_.push_back({what, false, result.error().error.what, result.error().error.hint});
      return false;
    }
    const ReplyRecord& reply = result->reply;
    std::string text =
        fmt::format("{} answered in {:.2f} s", reply.model_returned, reply.latency_s);
    if (stream) text += fmt::format(", first text after {:.2f} s", reply.first_text_s);
    if (model_.endpoint.prices.reported && !model_.endpoint.prices.given && reply.cost_usd == 0) {
      findings_.push_back({what, false, text + "; the server gave no cost",
                           "Give prices.prompt and prices.completion in place of "
                           "prices.reported."});
      return true;
    }
    if (reply.usage_estimated) {
      findings_.push_back({what, false, text + "; it counted no tokens",
                           "Token limits and costs will rest on estimates."});
      return true;
    }
    text += fmt::format("; {} + {} tokens", reply.prompt_tokens, reply.completion_tokens);
    if (reply.cost_usd > 0) text += fmt::format(", ${:.6f}", reply.cost_usd);
    findings_.push_back(good(what, text));
    return true;
  }

  HttpLoop& loop_;
  ModelSpec model_;
  const ApiKeys& keys_;
  const WireFormat& format_;
  std::vector<EndpointFinding> findings_;
};

}  // namespace

std::vector<EndpointFinding> check_endpoint(HttpLoop& loop, const ModelSpec& model,
                                            const ApiKeys& keys) {
  return EndpointCheck(loop, model, keys).run();
}

}  // namespace ptxbatch
