#include "ranks/generate/api_keys.h"

#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "common/trim.h"

namespace ptxbatch {
namespace {

// Blanks around a key come from files and shells; anything else that no header may hold is a
// mistake that a server would answer with a riddle.
std::string usable_key(std::string_view value) {
  const std::string_view key = trim(value);
  const bool printable =
      std::all_of(key.begin(), key.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  return printable ? std::string(key) : "";
}

}  // namespace

ApiKeys ApiKeys::take_from_environment(const std::vector<ModelSpec>& models) {
  ApiKeys keys;
  for (const ModelSpec& model : models) {
    const std::string& variable = model.endpoint.api_key_env;
    char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
    if (value == nullptr) continue;
    keys.keys_[variable] = usable_key(value);
    // In place first: /proc shows the environment that the process was started with.
    ::explicit_bzero(value, std::strlen(value));
    ::unsetenv(variable.c_str());
  }
  return keys;
}

const std::string* ApiKeys::find(const std::string& variable) const {
  const auto found = keys_.find(variable);
  return found == keys_.end() || found->second.empty() ? nullptr : &found->second;
}

// In one pass: what stands in a key's place may hold a key itself, and one key may begin another.
std::string ApiKeys::redact(std::string_view text) const {
  std::string shown;
  while (!text.empty()) {
    const std::size_t hidden = key_length_at_begin(text);
    if (hidden > 0) {
      shown += "[key]";
    } else {
      shown += text.front();
    }
    text.remove_prefix(std::max<std::size_t>(hidden, 1));
  }
  return shown;
}

std::size_t ApiKeys::key_length_at_begin(std::string_view text) const {
  std::size_t longest = 0;
  for (const auto& [variable, key] : keys_) {
    if (text.starts_with(key)) longest = std::max(longest, key.size());
  }
  return longest;
}

}  // namespace ptxbatch
