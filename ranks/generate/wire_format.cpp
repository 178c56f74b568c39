#include "ranks/generate/wire_format.h"

#include "ranks/generate/provider_json.h"

namespace ptxbatch {

using nlohmann::json;

const WireFormat* find_wire_format(std::string_view provider) {
  if (provider == "openai") return &openai_chat();
  if (provider == "anthropic") return &anthropic_messages();
  if (provider == "gemini") return &gemini_generate_content();
  return nullptr;
}

std::string default_url(std::string_view provider) {
  if (provider == "openai") return "https://api.openai.com/v1";
  if (provider == "anthropic") return "https://api.anthropic.com/v1";
  if (provider == "gemini") return "https://generativelanguage.googleapis.com/v1beta";
  return {};
}

json request_body(const WireFormat& format, const EndpointSpec& endpoint,
                  const std::vector<Message>& messages, std::int64_t max_tokens) {
  json body = format.body(endpoint, messages, max_tokens);
  if (!endpoint.body.empty()) {
    const json extra = json::parse(endpoint.body, nullptr, /*allow_exceptions=*/false);
    if (extra.is_object()) body.update(extra, /*merge_objects=*/true);
  }
  return body;
}

std::string join_url(std::string base, std::string_view path) {
  while (base.ends_with('/')) base.pop_back();
  if (base.ends_with(path)) return base;
  return base + std::string(path);
}

ProviderError common_error_of(const json& body) {
  ProviderError error;
  // Gemini answers a stream's error with a list of one.
  const json& holder = body.is_array() && !body.empty() ? body.front() : body;
  const json* found = json_at(holder, {"error"});
  if (found == nullptr) found = &holder;
  if (found->is_string()) {
    error.message = found->get<std::string>();
    return error;
  }
  error.message = text_at(*found, {"message"});
  if (error.message.empty()) error.message = text_at(*found, {"detail"});
  error.code = text_at(*found, {"code"});
  if (error.code.empty()) error.code = text_at(*found, {"type"});
  if (error.code.empty()) error.code = text_at(*found, {"status"});
  if (const auto status = count_at(*found, {"code"})) error.status = static_cast<int>(*status);
  // OpenRouter's code is a number; that a moderator refused the prompt shows in what comes with it.
  if (error.code.empty() && json_at(*found, {"metadata", "flagged_input"}) != nullptr) {
    error.code = "moderation";
  }
  // The upstream's own words, as OpenRouter passes them on.
  const std::string raw = text_at(*found, {"metadata", "raw"});
  if (!raw.empty()) error.message += ": " + raw;
  return error;
}

}  // namespace ptxbatch
