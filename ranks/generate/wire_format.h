// How a provider's API looks on the wire: one implementation a file. Each says what to send and
// takes what comes back; streaming, retries and time are not its business.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "ranks/experiment.h"
#include "ranks/generate/reply_draft.h"
#include "ranks/prompt/prompt.h"

namespace ptxbatch {

class WireFormat {
 public:
  virtual ~WireFormat() = default;

  /// Where requests go, and where the models that the endpoint has are listed.
  [[nodiscard]] virtual std::string request_url(const EndpointSpec& endpoint) const = 0;
  [[nodiscard]] virtual std::string models_url(const EndpointSpec& endpoint) const = 0;
  /// The header that carries the key: name and value.
  [[nodiscard]] virtual std::pair<std::string, std::string> key_header(
      const std::string& key) const = 0;
  /// Further headers that the API asks for.
  [[nodiscard]] virtual std::vector<std::string> headers() const { return {}; }

  /// The request's body without the extra fields of the experiment file.
  [[nodiscard]] virtual nlohmann::json body(const EndpointSpec& endpoint,
                                            const std::vector<Message>& messages,
                                            std::int64_t max_tokens) const = 0;

  /// Takes one event of a stream or a whole reply: they are told apart by what they hold.
  virtual void take(const nlohmann::json& chunk, ReplyDraft& draft) const = 0;

  /// The error in the body of a reply with an error status, or in a stream.
  [[nodiscard]] virtual ProviderError error_of(const nlohmann::json& body) const = 0;

  /// The names in the answer of models_url().
  [[nodiscard]] virtual std::vector<std::string> model_names(const nlohmann::json& body) const = 0;

  /// Settings that the API has no field for, by their keys in an experiment file.
  [[nodiscard]] virtual std::vector<std::string> unsupported_settings() const { return {}; }
};

/// By provider name: "openai", "anthropic", "gemini"; nullptr for another.
const WireFormat* find_wire_format(std::string_view provider);
/// Its usual address.
std::string default_url(std::string_view provider);

/// body() with the experiment file's extra fields merged in (objects member by member).
nlohmann::json request_body(const WireFormat& format, const EndpointSpec& endpoint,
                            const std::vector<Message>& messages, std::int64_t max_tokens);

/// `base` and `path` with one slash between them; `base` as it is when it ends in `path` already.
std::string join_url(std::string base, std::string_view path);

/// The usual form of errors: {"error": {"message", "code", "type"}}, {"error": "text"}, or
/// {"message"}.
ProviderError common_error_of(const nlohmann::json& body);

const WireFormat& openai_chat();
const WireFormat& anthropic_messages();
const WireFormat& gemini_generate_content();

}  // namespace ptxbatch
