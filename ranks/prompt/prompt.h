// Prompt assembly in the paper's order: system (instructions, knowledge pack, worked binding
// example, target name), user (the task: the definition without tags).
#pragma once

#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/experiment.h"

namespace ptxbatch {

struct Message {
  std::string role;  // "system", "user", "assistant"
  std::string content;
};

/// The messages a trajectory begins with: of the pack what the variant's level holds, then the
/// variant's guidance and the tag's. Errors name the pack's file that is missing or wrong.
Result<std::vector<Message>> assemble_prompt(const TargetSpec& target, const ProblemSpec& problem,
                                             const PromptSpec& prompt,
                                             const VariantSpec& variant = {});

/// JSON array of {role, content}: how a prompt is hashed and stored.
std::string messages_json(const std::vector<Message>& messages);
/// Its inverse. kProtocol when the text is no list of messages.
Result<std::vector<Message>> messages_from_json(const std::string& text);

}  // namespace ptxbatch
