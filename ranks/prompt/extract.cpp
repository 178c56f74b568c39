// Fenced blocks are read line by line as CommonMark has them, but more forgiving where models are
// careless: any indentation, and a new opening fence with a language ends a block left open.
#include "ranks/prompt/extract.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "common/trim.h"
namespace ptxbatch {
namespace {

struct Block {
  std::string language;  // lower-case; empty when the fence has none
  std::string code;
};

struct Fence {
  char mark;  // '`' or '~'
  std::size_t length;
  std::size_t indent;
  std::string_view info;  // what follows, trimmed
};

constexpr std::string_view kBlanks = " \t\r";

bool is_blank(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}

std::optional<Fence> parse_fence(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(kBlanks);
  if (indent == std::string_view::npos) return std::nullopt;
  const char mark = line[indent];
  if (mark != '`' && mark != '~') return std::nullopt;
  const std::size_t end = std::min(line.find_first_not_of(mark, indent), line.size());
  if (end - indent < 3) return std::nullopt;
  const std::string_view info = trim(line.substr(end));
  // ```code``` on one line is inline code.
  if (mark == '`' && info.find('`') != std::string_view::npos) return std::nullopt;
  return Fence{mark, end - indent, indent, info};
}

// "cpp" out of "cpp", "C++ title=kernel.cpp", "{.cpp .numberLines}", "cpp{1,3}".
std::string language_of(std::string_view info) {
  while (!info.empty() && (info.front() == '{' || info.front() == '.')) info.remove_prefix(1);
  const auto part_of_name = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '+' || c == '#' || c == '-' || c == '_';
  };
  std::string language(info.begin(), std::find_if_not(info.begin(), info.end(), part_of_name));
  std::transform(language.begin(), language.end(), language.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return language;
}

class BlockReader {
 public:
  std::vector<Block> read(std::string_view reply) {
    while (!reply.empty()) {
      const std::size_t end = std::min(reply.find('\n'), reply.size());
      take_line(reply.substr(0, end));
      reply.remove_prefix(std::min(end + 1, reply.size()));
    }
    return std::move(blocks_);
  }

 private:
  void take_line(std::string_view line) {
    const std::optional<Fence> fence = parse_fence(line);
    if (!open_) {
      if (fence) open(*fence);
      return;
    }
    const bool same_kind = fence && fence->mark == open_->mark && fence->length >= open_->length;
    if (same_kind && fence->info.empty()) {
      open_.reset();
    } else if (same_kind) {
      open(*fence);  // no code line looks like this: the block before was never closed
    } else {
      add_line(line);
    }
  }

  void open(const Fence& fence) {
    open_ = fence;
    blocks_.push_back({language_of(fence.info), {}});
  }

  void add_line(std::string_view line) {
    // The fence's own indentation (in a list) is not the code's.
    for (std::size_t i = 0; i < open_->indent && !line.empty() && is_blank(line.front()); ++i) {
      line.remove_prefix(1);
    }
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    std::string& code = blocks_.back().code;
    // NUL bytes mean nothing in a source and would cut it short where it is stored as a C string.
    std::copy_if(line.begin(), line.end(), std::back_inserter(code), [](char c) { return c != 0; });
    code += '\n';
  }

  std::optional<Fence> open_;
  std::vector<Block> blocks_;
};

bool is_cpp(const Block& block) {
  static constexpr std::array<std::string_view, 9> kNames = {"cpp", "c++", "cuda", "cu",      "cxx",
                                                             "cc",  "hpp", "cuh",  "cuda-cpp"};
  return std::find(kNames.begin(), kNames.end(), block.language) != kNames.end();
}

bool is_empty(const Block& block) {
  return block.code.find_first_not_of(" \t\n\v\f") == std::string::npos;
}

bool looks_like_kernel(const Block& block) {
  const auto has = [&](std::string_view word) {
    return block.code.find(word) != std::string::npos;
  };
  return (is_cpp(block) || block.language.empty()) && has("TVM_FFI_DLL_EXPORT_TYPED_FUNC") &&
         (has("TensorView") || has("__global__") || has("<<<"));
}

template <class Predicate>
const Block* last(const std::vector<Block>& blocks, Predicate predicate) {
  const auto found = std::find_if(blocks.rbegin(), blocks.rend(), predicate);
  return found == blocks.rend() ? nullptr : &*found;
}

}  // namespace

Extraction extract_code(std::string_view reply) {
  const std::vector<Block> blocks = BlockReader().read(reply);
  const Block* chosen = last(blocks, looks_like_kernel);
  if (chosen == nullptr) {
    chosen = last(blocks, [](const Block& block) { return is_cpp(block) && !is_empty(block); });
  }
  if (chosen == nullptr) chosen = last(blocks, [](const Block& block) { return !is_empty(block); });
  Extraction extraction;
  if (chosen != nullptr) {
    extraction.outcome = Extraction::Outcome::kFound;
    extraction.source = chosen->code;
  } else if (!blocks.empty()) {
    extraction.outcome = Extraction::Outcome::kEmptyBlock;
  }
  return extraction;
}

}  // namespace ptxbatch
