// Long texts cut for a reader with a budget: the head and the tail stay, since compilers put the
// first cause at the top and the summary at the bottom.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ptxbatch {

/// A rough count that holds for English and code alike; no tokenizer is the same for all models.
inline constexpr std::size_t kCharactersPerToken = 4;

inline std::size_t estimated_tokens(std::string_view text) {
  return (text.size() + kCharactersPerToken - 1) / kCharactersPerToken;
}

/// The nearest position at or before `position` that does not split a UTF-8 sequence.
inline std::size_t character_boundary(std::string_view text, std::size_t position) {
  // A sequence has at most three continuation bytes; more of them is not UTF-8 and may be split.
  for (int step = 0; step < 3 && position > 0 && position < text.size(); ++step) {
    if ((static_cast<unsigned char>(text[position]) & 0xC0U) != 0x80U) break;
    --position;
  }
  return position;
}

/// `text` itself when it fits; else its first two thirds and last third of `max_bytes` with a line
/// between them that says how much is missing. The result is never longer than `max_bytes`, unless
/// that is too short for the line.
inline std::string head_and_tail(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  constexpr std::size_t kMarkBytes = 64;  // room for the line below
  const std::size_t room = max_bytes > kMarkBytes ? max_bytes - kMarkBytes : 0;
  const std::size_t head = character_boundary(text, room - room / 3);
  std::size_t tail = text.size() - room / 3;
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0U) == 0x80U) ++tail;
  return std::string(text.substr(0, head)) + "\n[... " + std::to_string(tail - head) +
         " characters cut ...]\n" + std::string(text.substr(tail));
}

}  // namespace ptxbatch
