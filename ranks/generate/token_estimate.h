// How many tokens a prompt has, before a provider has counted them: from its bytes, at the rate of
// the conversation's last request where there was one.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/prompt/prompt.h"

namespace ptxbatch {

/// On the high side for English and code, so that what seems to fit does.
inline constexpr double kTokensPerByte = 1.0 / 3;

inline std::int64_t estimated_tokens(std::size_t bytes, double tokens_per_byte = kTokensPerByte) {
  return static_cast<std::int64_t>(static_cast<double>(bytes) * tokens_per_byte) + 1;
}

inline std::size_t bytes_of(const std::vector<Message>& messages) {
  constexpr std::size_t kAroundEach = 16;  // roles and separators
  std::size_t bytes = 0;
  for (const Message& message : messages) bytes += message.content.size() + kAroundEach;
  return bytes;
}

}  // namespace ptxbatch
