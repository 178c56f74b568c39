// Gemini's generateContent. A stream's events have the form of a whole reply; thoughts are parts
// marked `thought`.
#include "ranks/generate/provider_json.h"
#include "ranks/generate/wire_format.h"

namespace ptxbatch {
namespace {

using nlohmann::json;

void take_finish_reason(const std::string& reason, ReplyDraft& draft) {
  if (reason.empty() || reason == "FINISH_REASON_UNSPECIFIED") return;
  if (reason == "STOP") {
    draft.end = ReplyEnd::kComplete;
  } else if (reason == "MAX_TOKENS") {
    draft.end = ReplyEnd::kTruncated;
  } else {
    draft.end = ReplyEnd::kRefused;  // SAFETY, RECITATION, PROHIBITED_CONTENT and their like
  }
}

void take_candidate(const json& candidate, ReplyDraft& draft) {
  if (const json* parts = json_at(candidate, {"content", "parts"});
      parts != nullptr && parts->is_array()) {
    for (const json& part : *parts) {
      const json* thought = json_at(part, {"thought"});
      const bool is_thought = thought != nullptr && thought->is_boolean() && thought->get<bool>();
      (is_thought ? draft.reasoning : draft.text) += text_at(part, {"text"});
    }
  }
  take_finish_reason(text_at(candidate, {"finishReason"}), draft);
}

// Counts are of the reply so far: the last ones stand.
void take_usage(const json& usage, ReplyDraft& draft) {
  const auto prompt = count_at(usage, {"promptTokenCount"});
  if (!prompt) return;
  draft.usage.known = true;
  draft.usage.prompt = *prompt;
  draft.usage.reasoning = count_at(usage, {"thoughtsTokenCount"}).value_or(0);
  draft.usage.completion =
      count_at(usage, {"candidatesTokenCount"}).value_or(0) + draft.usage.reasoning;
  draft.usage.cached = count_at(usage, {"cachedContentTokenCount"}).value_or(0);
}

json text_content(const Message& message) {
  json content = {{"parts", json::array({{{"text", message.content}}})}};
  if (message.role != "system") content["role"] = message.role == "assistant" ? "model" : "user";
  return content;
}

class GeminiGenerateContent final : public WireFormat {
 public:
  [[nodiscard]] std::string request_url(const EndpointSpec& endpoint) const override {
    return join_url(endpoint.url, "/models/" + endpoint.model) +
           (endpoint.stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
  }

  [[nodiscard]] std::string models_url(const EndpointSpec& endpoint) const override {
    return join_url(endpoint.url, "/models") + "?pageSize=1000";
  }

  [[nodiscard]] std::pair<std::string, std::string> key_header(
      const std::string& key) const override {
    return {"x-goog-api-key", key};
  }

  [[nodiscard]] json body(const EndpointSpec& endpoint, const std::vector<Message>& messages,
                          std::int64_t max_tokens) const override {
    json body;
    json& contents = body["contents"] = json::array();
    for (const Message& message : messages) {
      if (message.role == "system") {
        body["systemInstruction"] = text_content(message);
      } else {
        contents.push_back(text_content(message));
      }
    }
    json& config = body["generationConfig"] = json::object();
    if (max_tokens > 0) config["maxOutputTokens"] = max_tokens;
    const SamplingSettings& sampling = endpoint.sampling;
    if (sampling.temperature) config["temperature"] = *sampling.temperature;
    if (sampling.top_p) config["topP"] = *sampling.top_p;
    if (sampling.top_k) config["topK"] = *sampling.top_k;
    if (sampling.presence_penalty) config["presencePenalty"] = *sampling.presence_penalty;
    if (sampling.frequency_penalty) config["frequencyPenalty"] = *sampling.frequency_penalty;
    if (sampling.seed) config["seed"] = *sampling.seed;
    config["thinkingConfig"] = {{"includeThoughts", true}};
    if (!sampling.reasoning_effort.empty()) {
      config["thinkingConfig"]["thinkingLevel"] = sampling.reasoning_effort;
    }
    return body;
  }

  void take(const json& chunk, ReplyDraft& draft) const override {
    const json& reply = chunk.is_array() && !chunk.empty() ? chunk.front() : chunk;
    if (json_at(reply, {"error"}) != nullptr) {
      draft.recognised = true;
      draft.error = error_of(reply);
      return;
    }
    const json* candidates = json_at(reply, {"candidates"});
    const json* usage = json_at(reply, {"usageMetadata"});
    const json* blocked = json_at(reply, {"promptFeedback", "blockReason"});
    if (candidates == nullptr && usage == nullptr && blocked == nullptr) return;
    draft.recognised = true;
    if (std::string model = text_at(reply, {"modelVersion"}); !model.empty()) draft.model = model;
    if (std::string id = text_at(reply, {"responseId"}); !id.empty()) draft.response_id = id;
    if (blocked != nullptr) draft.end = ReplyEnd::kRefused;
    if (candidates != nullptr && candidates->is_array() && !candidates->empty()) {
      take_candidate(candidates->front(), draft);
    }
    if (usage != nullptr) take_usage(*usage, draft);
  }

  [[nodiscard]] ProviderError error_of(const json& body) const override {
    ProviderError error = common_error_of(body);
    const json& holder = body.is_array() && !body.empty() ? body.front() : body;
    if (const std::string status = text_at(holder, {"error", "status"}); !status.empty()) {
      error.code = status;
    }
    // A wrong key is answered with 400, which says nothing of keys.
    if (error.message.find("API key") != std::string::npos) error.status = 401;
    return error;
  }

  [[nodiscard]] std::vector<std::string> model_names(const json& body) const override {
    constexpr std::string_view kPrefix = "models/";
    std::vector<std::string> names;
    const json* list = json_at(body, {"models"});
    if (list == nullptr || !list->is_array()) return names;
    for (const json& model : *list) {
      std::string name = text_at(model, {"name"});
      if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
      names.push_back(std::move(name));
    }
    return names;
  }

  [[nodiscard]] std::vector<std::string> unsupported_settings() const override {
    return {"max_tokens_field"};
  }
};

}  // namespace

const WireFormat& gemini_generate_content() {
  static const GeminiGenerateContent format;
  return format;
}

}  // namespace ptxbatch
