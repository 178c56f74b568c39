#include "ranks/prompt/stored_prompt.h"

#include <nlohmann/json.hpp>

namespace ptxbatch {

Result<std::vector<Message>> messages_from_json(const std::string& text) {
  try {
    std::vector<Message> messages;
    for (const nlohmann::json& message : nlohmann::json::parse(text)) {
      messages.push_back({message.at("role"), message.at("content")});
    }
    return messages;
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::kProtocol,
                std::string("a stored prompt is no list of messages: ") + error.what());
  }
}

}  // namespace ptxbatch
