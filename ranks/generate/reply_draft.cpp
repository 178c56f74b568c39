#include "ranks/generate/reply_draft.h"

#include <string_view>

namespace ptxbatch {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trim_front(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

}  // namespace

void split_think_block(ReplyDraft& draft) {
  const std::string_view text = trim_front(draft.text);
  const bool opened = text.starts_with(kOpen);
  // A closing tag alone is meant as one only where the reasoning did not come by itself.
  if (!opened && !draft.reasoning.empty()) return;
  const std::string_view block = opened ? text.substr(kOpen.size()) : text;
  const std::size_t close = block.find(kClose);
  if (!opened && close == std::string_view::npos) return;
  draft.reasoning += block.substr(0, close);
  std::string visible(close == std::string_view::npos
                          ? std::string_view()
                          : trim_front(block.substr(close + kClose.size())));
  draft.text = std::move(visible);
}

}  // namespace ptxbatch
