#include "ranks/prompt/prompt.h"

#include <nlohmann/json.hpp>

#include "ranks/prompt/pack.h"

namespace ptxbatch {
namespace {

std::string_view fence_language(std::string_view file) {
  if (file.ends_with(".cu") || file.ends_with(".cuh")) return "cuda";
  if (file.ends_with(".h") || file.ends_with(".cpp")) return "cpp";
  return {};
}

// A document as it stands in the prompt: text as it is, code under its name in a block of its own.
void append_document(std::string& prompt, const PackDocument& document) {
  const std::string_view language = fence_language(document.file);
  if (language.empty()) {
    prompt += document.text;
  } else {
    prompt += "## `" + document.file + "`\n\n```" + std::string(language) + "\n" + document.text;
    if (!prompt.ends_with('\n')) prompt += '\n';
    prompt += "```\n";
  }
  if (!prompt.ends_with('\n')) prompt += '\n';
  prompt += '\n';
}

/// A list of guidance documents, and where the experiment file asks for them.
struct WantedGuidance {
  const std::map<std::string, std::vector<std::string>>& by_op_type;
  std::string key;
  int line = 0;
};

Error unknown_guidance(const Pack& pack, const WantedGuidance& wanted, const std::string& op_type,
                       const std::string& name) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.what = "the pack '" + pack.name + "' has no guidance '" + name + "' for " + op_type;
  std::string names;
  for (const PackGuidance& guidance : pack.guidance) {
    if (pack.find_guidance(op_type, guidance.name) == nullptr) continue;
    names += (names.empty() ? "" : ", ") + guidance.name;
  }
  error.hint = names.empty() ? "It has none for this operator type." : "It has: " + names + ".";
  error.line = wanted.line;
  error.key = wanted.key + ".guidance." + op_type;
  return error;
}

Status append_guidance(std::string& text, const Pack& pack, const WantedGuidance& wanted,
                       const std::string& op_type) {
  const auto names = wanted.by_op_type.find(op_type);
  if (names == wanted.by_op_type.end()) return {};
  for (const std::string& name : names->second) {
    const PackGuidance* guidance = pack.find_guidance(op_type, name);
    if (guidance == nullptr) return fail(unknown_guidance(pack, wanted, op_type, name));
    append_document(text, guidance->document);
  }
  return {};
}

Result<std::string> system_message(const Pack& pack, const TargetSpec& target,
                                   const std::string& op_type, const PromptSpec& prompt,
                                   const VariantSpec& variant) {
  std::string text;
  append_document(text, pack.instructions);
  for (const PackComponent& component : pack.components) {
    if (component.level > variant.pack_level) continue;
    text += "# " + component.title + "\n\n";
    for (const PackDocument& document : component.documents) append_document(text, document);
  }
  for (const WantedGuidance& wanted :
       {WantedGuidance{variant.guidance, "variants", variant.line},
        WantedGuidance{prompt.guidance, "prompts." + prompt.tag, prompt.line}}) {
    if (auto added = append_guidance(text, pack, wanted, op_type); !added) {
      return fail(added.error());
    }
  }
  text += "# Worked example of the binding\n\n";
  append_document(text, pack.example);
  text += "# Target\n\nThe target is `" + target.name + "`.\n";
  return text;
}

std::string user_message(const Problem& problem) {
  std::string text =
      "# Task\n\nWrite the kernel for this definition: its inputs, then its outputs, in this "
      "order, "
      "are the arguments of `run`.\n\n```json\n" +
      problem.definition_json;
  if (!text.ends_with('\n')) text += '\n';
  return text + "```\n";
}

}  // namespace

Result<std::vector<Message>> assemble_prompt(const TargetSpec& target, const ProblemSpec& problem,
                                             const PromptSpec& prompt, const VariantSpec& variant) {
  auto pack = load_pack(target.pack_folder);
  if (!pack) return fail(pack.error());
  if (pack->target != target.name) {
    Error error;
    error.kind = ErrorKind::kInput;
    error.what = "the pack is for the target '" + pack->target + "', not '" + target.name + "'";
    error.hint = "Give the target the pack that was written for it.";
    error.file = target.pack_folder + "/pack.toml";
    error.key = "target";
    return fail(std::move(error));
  }
  auto system = system_message(*pack, target, problem.problem.op_type, prompt, variant);
  if (!system) return fail(system.error());
  return std::vector<Message>{{"system", std::move(*system)},
                              {"user", user_message(problem.problem)}};
}

std::string messages_json(const std::vector<Message>& messages) {
  nlohmann::json array = nlohmann::json::array();
  for (const Message& message : messages) {
    array.push_back({{"role", message.role}, {"content", message.content}});
  }
  // A reply may hold bytes that are not UTF-8; JSON may not.
  return array.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

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
