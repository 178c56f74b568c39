// Anthropic's Messages API. A stream is message_start, then content blocks of text or thinking
// (signed; the signature is not ours to read), message_delta with the reason of the end and the
// tokens used, message_stop; `ping` says that the model still thinks.
#include "ranks/generate/provider_json.h"
#include "ranks/generate/wire_format.h"

namespace ptxbatch {
namespace {

using nlohmann::json;

// The API refuses a message without text, such as a reply that was all thinking.
constexpr const char* kNothingSaid = "(no visible reply)";

int status_of(const std::string& type) {
  if (type == "invalid_request_error") return 400;
  if (type == "authentication_error") return 401;
  if (type == "billing_error") return 402;
  if (type == "permission_error") return 403;
  if (type == "not_found_error") return 404;
  if (type == "request_too_large") return 413;
  if (type == "rate_limit_error") return 429;
  if (type == "api_error") return 500;
  if (type == "timeout_error") return 504;
  if (type == "overloaded_error") return 529;
  return 0;
}

void take_stop_reason(const std::string& reason, ReplyDraft& draft) {
  if (reason.empty()) return;
  if (reason == "max_tokens") {
    draft.end = ReplyEnd::kTruncated;
  } else if (reason == "refusal") {
    draft.end = ReplyEnd::kRefused;
  } else if (reason == "model_context_window_exceeded") {
    draft.end = ReplyEnd::kContextExhausted;
  } else {
    draft.end = ReplyEnd::kComplete;
  }
}

// input_tokens counts neither what was written to the cache nor what was read from it. The counts
// of a later event replace those of an earlier one.
void take_usage(const json* usage, ReplyDraft& draft) {
  if (usage == nullptr || !usage->is_object()) return;
  TokenUsage& tokens = draft.usage;
  if (const auto input = count_at(*usage, {"input_tokens"})) {
    const auto written = count_at(*usage, {"cache_creation_input_tokens"}).value_or(0);
    const auto read = count_at(*usage, {"cache_read_input_tokens"}).value_or(0);
    tokens.prompt = *input + written + read;
    tokens.cached = read;
    tokens.known = true;
  }
  if (const auto output = count_at(*usage, {"output_tokens"})) {
    tokens.completion = *output;
    tokens.known = true;
  }
  if (const auto thinking = count_at(*usage, {"output_tokens_details", "thinking_tokens"})) {
    tokens.reasoning = *thinking;
  }
}

void take_message(const json& message, ReplyDraft& draft) {
  draft.model = text_at(message, {"model"});
  draft.response_id = text_at(message, {"id"});
  take_usage(json_at(message, {"usage"}), draft);
  take_stop_reason(text_at(message, {"stop_reason"}), draft);
}

// A content block, or a piece of one: both carry `text` or `thinking`.
void take_content(const json& content, ReplyDraft& draft) {
  draft.text += text_at(content, {"text"});
  draft.reasoning += text_at(content, {"thinking"});
}

class AnthropicMessages final : public WireFormat {
 public:
  [[nodiscard]] std::string request_url(const EndpointSpec& endpoint) const override {
    return join_url(endpoint.url, "/messages");
  }

  [[nodiscard]] std::string models_url(const EndpointSpec& endpoint) const override {
    constexpr std::string_view kPath = "/messages";
    std::string base = join_url(endpoint.url, kPath);
    base.resize(base.size() - kPath.size());
    return base + "/models?limit=1000";
  }

  [[nodiscard]] std::pair<std::string, std::string> key_header(
      const std::string& key) const override {
    return {"x-api-key", key};
  }

  [[nodiscard]] std::vector<std::string> headers() const override {
    return {"anthropic-version: 2023-06-01"};
  }

  [[nodiscard]] json body(const EndpointSpec& endpoint, const std::vector<Message>& messages,
                          std::int64_t max_tokens) const override {
    json body = {
        {"model", endpoint.model}, {"stream", endpoint.stream}, {"max_tokens", max_tokens}};
    json& list = body["messages"] = json::array();
    for (const Message& message : messages) {
      if (message.role == "system") {
        body["system"] = message.content;
      } else {
        const bool silent = message.content.find_first_not_of(" \t\r\n") == std::string::npos;
        list.push_back(
            {{"role", message.role}, {"content", silent ? kNothingSaid : message.content}});
      }
    }
    const SamplingSettings& sampling = endpoint.sampling;
    if (sampling.temperature) body["temperature"] = *sampling.temperature;
    if (sampling.top_p) body["top_p"] = *sampling.top_p;
    if (sampling.top_k) body["top_k"] = *sampling.top_k;
    if (!sampling.reasoning_effort.empty()) {
      body["output_config"] = {{"effort", sampling.reasoning_effort}};
    }
    return body;
  }

  void take(const json& chunk, ReplyDraft& draft) const override {
    const std::string type = text_at(chunk, {"type"});
    draft.recognised =
        draft.recognised || type == "message" || type == "message_start" || type == "error";
    if (type == "error") {
      draft.error = error_of(chunk);
    } else if (type == "message") {
      take_message(chunk, draft);
      const json* content = json_at(chunk, {"content"});
      if (content == nullptr || !content->is_array()) return;
      for (const json& block : *content) take_content(block, draft);
    } else if (type == "message_start") {
      if (const json* message = json_at(chunk, {"message"}); message != nullptr) {
        take_message(*message, draft);
      }
    } else if (type == "content_block_start") {
      if (const json* block = json_at(chunk, {"content_block"}); block != nullptr) {
        take_content(*block, draft);
      }
    } else if (type == "content_block_delta") {
      if (const json* delta = json_at(chunk, {"delta"}); delta != nullptr) {
        take_content(*delta, draft);
      }
    } else if (type == "message_delta") {
      take_stop_reason(text_at(chunk, {"delta", "stop_reason"}), draft);
      take_usage(json_at(chunk, {"usage"}), draft);
    }
  }

  [[nodiscard]] ProviderError error_of(const json& body) const override {
    ProviderError error = common_error_of(body);
    error.status = status_of(error.code);
    return error;
  }

  [[nodiscard]] std::vector<std::string> model_names(const json& body) const override {
    return openai_chat().model_names(body);
  }

  [[nodiscard]] std::vector<std::string> unsupported_settings() const override {
    return {"presence_penalty", "frequency_penalty", "seed", "max_tokens_field"};
  }
};

}  // namespace

const WireFormat& anthropic_messages() {
  static const AnthropicMessages format;
  return format;
}

}  // namespace ptxbatch
