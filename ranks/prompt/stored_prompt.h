// A prompt as it was journalled, back into messages.
#pragma once

#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/prompt/prompt.h"

namespace ptxbatch {

/// The inverse of messages_json(). kProtocol when the text is no list of messages.
Result<std::vector<Message>> messages_from_json(const std::string& text);

}  // namespace ptxbatch
