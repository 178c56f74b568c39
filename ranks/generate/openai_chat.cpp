// Chat completions as OpenAI defined them and vLLM, SGLang, llama.cpp, OpenRouter and DeepSeek
// speak them. Reasoning comes as reasoning_content (DeepSeek, vLLM, SGLang), reasoning (OpenRouter)
// or reasoning_details (OpenRouter, where it gives nothing plainer).
#include "ranks/generate/provider_json.h"
#include "ranks/generate/wire_format.h"

namespace ptxbatch {
namespace {

using nlohmann::json;

// Content is a string, or a list of parts.
void append_content(const json* content, ReplyDraft& draft) {
  if (content == nullptr) return;
  if (content->is_string()) {
    draft.text += content->get_ref<const std::string&>();
    return;
  }
  if (!content->is_array()) return;
  for (const json& part : *content) {
    if (text_at(part, {"type"}) == "thinking") {
      const json* thinking = json_at(part, {"thinking"});
      if (thinking == nullptr || !thinking->is_array()) continue;
      for (const json& piece : *thinking) draft.reasoning += text_at(piece, {"text"});
    } else {
      draft.text += text_at(part, {"text"});
    }
  }
}

std::string reasoning_of(const json& message) {
  for (const std::string_view key : {"reasoning_content", "reasoning"}) {
    if (std::string text = text_at(message, {key}); !text.empty()) return text;
  }
  std::string text;
  const json* details = json_at(message, {"reasoning_details"});
  if (details == nullptr || !details->is_array()) return text;
  for (const json& detail : *details) {
    text += text_at(detail, {"text"}) + text_at(detail, {"summary"});
  }
  return text;
}

// What is not a model's doing is an error with the status that it stands for.
void take_finish_reason(const std::string& reason, ReplyDraft& draft) {
  if (reason.empty()) return;
  if (reason == "length") {
    draft.end = ReplyEnd::kTruncated;
  } else if (reason == "content_filter") {
    draft.end = ReplyEnd::kRefused;
  } else if (reason == "model_length") {
    draft.end = ReplyEnd::kContextExhausted;
  } else if (reason == "error" || reason == "abort" || reason == "insufficient_system_resource") {
    if (!draft.error) draft.error = ProviderError{503, reason, "the server gave up the reply"};
  } else {
    draft.end = ReplyEnd::kComplete;
  }
}

void take_choice(const json& choice, ReplyDraft& draft) {
  const json* message = json_at(choice, {"delta"});
  if (message == nullptr) message = json_at(choice, {"message"});
  if (message != nullptr) {
    append_content(json_at(*message, {"content"}), draft);
    draft.reasoning += reasoning_of(*message);
    const std::string refusal = text_at(*message, {"refusal"});
    draft.text += refusal;
    if (!refusal.empty()) draft.end = ReplyEnd::kRefused;
  }
  if (draft.end != ReplyEnd::kRefused)
    take_finish_reason(text_at(choice, {"finish_reason"}), draft);
}

void take_usage(const json& usage, ReplyDraft& draft) {
  const auto prompt = count_at(usage, {"prompt_tokens"});
  const auto completion = count_at(usage, {"completion_tokens"});
  if (!prompt && !completion) return;
  const auto first_of = [&](auto... paths) -> std::int64_t {
    for (const auto& found : {count_at(usage, paths)...}) {
      if (found && *found > 0) return *found;
    }
    return 0;
  };
  using Path = std::initializer_list<std::string_view>;
  draft.usage.known = true;
  draft.usage.prompt = prompt.value_or(0);
  draft.usage.completion = completion.value_or(0);
  draft.usage.reasoning =
      first_of(Path{"completion_tokens_details", "reasoning_tokens"}, Path{"reasoning_tokens"});
  draft.usage.cached =
      first_of(Path{"prompt_tokens_details", "cached_tokens"}, Path{"prompt_cache_hit_tokens"});
  if (const json* cost = json_at(usage, {"cost"}); cost != nullptr && cost->is_number()) {
    draft.cost_usd = cost->get<double>();
  }
}

void set_text(std::string& field, std::string value) {
  if (!value.empty()) field = std::move(value);
}

class OpenAiChat final : public WireFormat {
 public:
  [[nodiscard]] std::string request_url(const EndpointSpec& endpoint) const override {
    return join_url(endpoint.url, "/chat/completions");
  }

  [[nodiscard]] std::string models_url(const EndpointSpec& endpoint) const override {
    constexpr std::string_view kPath = "/chat/completions";
    std::string base = join_url(endpoint.url, kPath);
    base.resize(base.size() - kPath.size());
    return base + "/models";
  }

  [[nodiscard]] std::pair<std::string, std::string> key_header(
      const std::string& key) const override {
    return {"Authorization", "Bearer " + key};
  }

  [[nodiscard]] json body(const EndpointSpec& endpoint, const std::vector<Message>& messages,
                          std::int64_t max_tokens) const override {
    json body = {{"model", endpoint.model}, {"stream", endpoint.stream}};
    json& list = body["messages"] = json::array();
    for (const Message& message : messages) {
      list.push_back({{"role", message.role}, {"content", message.content}});
    }
    if (endpoint.stream) body["stream_options"] = {{"include_usage", true}};
    if (max_tokens > 0) body[endpoint.max_tokens_field] = max_tokens;
    const SamplingSettings& sampling = endpoint.sampling;
    if (sampling.temperature) body["temperature"] = *sampling.temperature;
    if (sampling.top_p) body["top_p"] = *sampling.top_p;
    if (sampling.top_k) body["top_k"] = *sampling.top_k;
    if (sampling.presence_penalty) body["presence_penalty"] = *sampling.presence_penalty;
    if (sampling.frequency_penalty) body["frequency_penalty"] = *sampling.frequency_penalty;
    if (sampling.seed) body["seed"] = *sampling.seed;
    if (!sampling.reasoning_effort.empty()) body["reasoning_effort"] = sampling.reasoning_effort;
    return body;
  }

  void take(const json& chunk, ReplyDraft& draft) const override {
    if (json_at(chunk, {"error"}) != nullptr) {
      draft.recognised = true;
      draft.error = error_of(chunk);
      return;
    }
    const json* choices = json_at(chunk, {"choices"});
    const json* usage = json_at(chunk, {"usage"});
    if (!chunk.is_object() || (choices == nullptr && usage == nullptr)) return;
    draft.recognised = true;
    set_text(draft.model, text_at(chunk, {"model"}));
    set_text(draft.response_id, text_at(chunk, {"id"}));
    set_text(draft.fingerprint, text_at(chunk, {"system_fingerprint"}));
    if (choices != nullptr && choices->is_array() && !choices->empty()) {
      take_choice(choices->front(), draft);
      const json* error = json_at(choices->front(), {"error"});
      if (error != nullptr) draft.error = common_error_of(choices->front());
    }
    if (usage != nullptr) take_usage(*usage, draft);
  }

  [[nodiscard]] ProviderError error_of(const json& body) const override {
    return common_error_of(body);
  }

  [[nodiscard]] std::vector<std::string> model_names(const json& body) const override {
    std::vector<std::string> names;
    const json* list = json_at(body, {"data"});
    if (list == nullptr || !list->is_array()) return names;
    for (const json& model : *list) names.push_back(text_at(model, {"id"}));
    return names;
  }
};

}  // namespace

const WireFormat& openai_chat() {
  static const OpenAiChat format;
  return format;
}

}  // namespace ptxbatch
