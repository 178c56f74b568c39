#include "ranks/generate/attempt_fault.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>

#include "common/utf8.h"

namespace ptxbatch {
namespace {

using Kind = ModelFailure::Kind;

bool contains_any(const std::string& text, std::initializer_list<std::string_view> words) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// As OpenAI, vLLM, SGLang, llama.cpp, OpenRouter, Anthropic and Gemini put it.
bool speaks_of_context(const ProviderError& error) {
  return contains_any(error.code + " " + error.message,
                      {"context_length_exceeded", "maximum context length", "context length is",
                       "exceed_context_size", "exceeds the available context size",
                       "model's context length", "prompt is too long", "input is too long",
                       "exceeds the maximum number of tokens", "context window"});
}

bool speaks_of_unknown_model(const ProviderError& error) {
  return contains_any(error.code + " " + error.message,
                      {"model_not_found", "not a valid model", "invalid model", "unknown model",
                       "model does not exist", "model not exist", "no such model"});
}

// OpenRouter answers 403 for a key without rights and for a prompt that a moderator took exception
// to alike.
bool speaks_of_moderation(const ProviderError& error) {
  return contains_any(error.code + " " + error.message,
                      {"moderation", "input was flagged", "prompt was flagged", "content_filter",
                       "content_policy", "content policy"});
}

std::string said(const ProviderError& error) {
  std::string text = error.code;
  if (!error.message.empty()) text += (text.empty() ? "" : ": ") + first_bytes(error.message);
  return text.empty() ? "" : " (" + text + ")";
}

std::string key_variable(const EndpointSpec& endpoint) {
  return endpoint.api_key_env.empty() ? "No key was sent: set the model's api_key_env."
                                      : "Check the key in $" + endpoint.api_key_env + ".";
}

std::string address_and_name(const EndpointSpec& endpoint) {
  return "Check the model's url (" + endpoint.url + ") and name (" + endpoint.model + ").";
}

bool is_transient(int status) {
  return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

// Faults that every request to the model will meet.
bool set_fault_of_model(int status, const ProviderError& error, const EndpointSpec& endpoint,
                        AttemptFault& fault) {
  const bool out_of_money =
      status == 402 || contains_any(error.code, {"insufficient_quota", "billing"});
  const bool of_the_prompt = status == 403 && speaks_of_moderation(error);
  if (of_the_prompt && !out_of_money) return false;
  if (out_of_money) {
    fault.cause = "payment";
    fault.hint = "The account has no credit left: add some, and run the same command again.";
  } else if (status == 401 || status == 403) {
    fault.cause = status == 401 ? "key_refused" : "forbidden";
    fault.hint = key_variable(endpoint);
  } else if (status == 404 || status == 405 || speaks_of_unknown_model(error)) {
    fault.cause = "not_found";
    fault.hint = address_and_name(endpoint);
  } else {
    return false;
  }
  fault.kind = Kind::kModel;
  return true;
}

}  // namespace

std::string first_bytes(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string shown = repair_utf8(utf8_prefix(text, kMost));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text.size() > kMost ? shown + "..." : shown;
}

AttemptFault fault_of_status(int status, const ProviderError& error, const EndpointSpec& endpoint) {
  AttemptFault fault;
  fault.cause = status > 0 ? "http_" + std::to_string(status) : "provider_error";
  fault.what = (status > 0 ? "the server answered " + std::to_string(status)
                           : std::string("the server reported an error")) +
               said(error);
  if (set_fault_of_model(status, error, endpoint, fault)) return fault;
  if (status == 0 || is_transient(status)) {
    fault.retry = true;
    fault.hint = "The server is busy or has a fault of its own; it is asked again later.";
    return fault;
  }
  fault.kind = Kind::kRequest;
  if (status == 403) {
    fault.cause = "moderation";
    fault.hint = "The provider refuses this prompt for what it says; others may pass.";
    return fault;
  }
  fault.context_exhausted = status == 413 || speaks_of_context(error);
  fault.hint =
      "The request's settings do not suit this model: check sampling, max_tokens and body.";
  return fault;
}

AttemptFault fault_of_transfer(const HttpEnd& end, const EndpointSpec& endpoint) {
  AttemptFault fault;
  fault.retry = true;
  const auto set = [&](const char* cause, std::string what, std::string hint) {
    fault.cause = cause;
    fault.what = std::move(what);
    fault.hint = std::move(hint);
  };
  const std::string detail = end.detail.empty() ? "" : " (" + end.detail + ")";
  switch (end.kind) {
    case HttpEnd::Kind::kResolve:
      set("resolve", "the host of " + endpoint.url + " is not known" + detail,
          "Check the model's url and this node's network; behind a proxy set https_proxy.");
      break;
    case HttpEnd::Kind::kConnect:
      set("connect", "no connection to " + endpoint.url + detail,
          "Check that the server runs and can be reached from this node; behind a proxy set "
          "https_proxy.");
      break;
    case HttpEnd::Kind::kCertificate:
      set("certificate", "the certificate of " + endpoint.url + " is not trusted" + detail,
          "For a private certificate authority give its file as the model's ca_file.");
      fault.kind = Kind::kModel;
      fault.retry = false;
      break;
    case HttpEnd::Kind::kTls:
      set("tls", "no secure connection to " + endpoint.url + detail,
          "Check the port, and whether the server speaks https.");
      break;
    case HttpEnd::Kind::kNoFirstByte:
      set("first_byte", "the server took the request and did not begin to answer",
          "Raise the model's clocks.first_byte_s if it may take so long.");
      break;
    case HttpEnd::Kind::kIdle:
      set("idle", "the stream stood still", "Raise the model's clocks.idle_s if it may.");
      break;
    case HttpEnd::Kind::kOnlyKeepAlives:
      set("keep_alive", "nothing but keep-alive comments came",
          "Raise the model's clocks.keep_alive_s if the model may think for so long.");
      break;
    case HttpEnd::Kind::kUnusableRequest:
      set("url", "the request to '" + endpoint.url + "' cannot be made" + detail,
          "Check the model's url and ca_file.");
      fault.kind = Kind::kModel;
      fault.retry = false;
      break;
    case HttpEnd::Kind::kComplete:
    case HttpEnd::Kind::kStopped:
    case HttpEnd::Kind::kCut:
      set("cut", "the connection ended before the reply did" + detail, "");
      break;
  }
  return fault;
}

std::optional<double> parse_retry_after(std::string_view value, double unix_now_s) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error == std::errc() && end == value.data() + value.size()) {
    return std::isfinite(seconds) && seconds >= 0 ? std::optional(seconds) : std::nullopt;
  }
  const std::time_t date = curl_getdate(std::string(value).c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return std::max(0.0, static_cast<double>(date) - unix_now_s);
}

double backoff_s(const RetrySettings& settings, int attempt, std::optional<double> retry_after_s,
                 double random) {
  const double doubled = settings.first_delay_s * std::exp2(std::min(attempt - 1, 30));
  const double jittered = random * std::min(settings.longest_delay_s, doubled);
  // What the server asked for is the least; the random share spreads those that wait with us.
  return retry_after_s ? *retry_after_s + random * settings.first_delay_s : jittered;
}

}  // namespace ptxbatch
