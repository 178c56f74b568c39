#include "ranks/generate/model_client.h"

#include "common/hash.h"
#include "ranks/generate/http_client.h"
#include "ranks/generate/recorded_client.h"
#include "ranks/generate/wire_format.h"

namespace ptxbatch {

bool needs_http(const ModelSpec& model) {
  return find_wire_format(model.provider) != nullptr;
}

Result<std::unique_ptr<ModelClient>> make_model_client(const ModelSpec& model,
                                                       const ClientContext& context) {
  if (model.provider == "recorded") return make_recorded_client(model, context.timeout_s);
  if (needs_http(model)) return make_http_client(model, context);
  return fail(ErrorKind::kInput,
              "the model '" + model.name + "' has the unknown provider '" + model.provider + "'",
              "Known providers: recorded, openai, anthropic, gemini.");
}

std::string request_hash(const ModelSpec& model, const std::vector<Message>& messages) {
  const WireFormat* format = find_wire_format(model.provider);
  std::string settings = model.name;
  if (format != nullptr) {
    // Without messages: they follow, in a form of their own. Without the address: a model that is
    // served elsewhere tomorrow is the same model.
    settings += "\n" + model.provider + "\n" + model.endpoint.model + "\n" +
                request_body(*format, model.endpoint, {}, model.endpoint.max_tokens).dump();
  }
  return sha256_hex(settings + "\n" + messages_json(messages));
}

}  // namespace ptxbatch
