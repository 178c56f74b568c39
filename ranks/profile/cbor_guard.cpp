#include "ranks/profile/cbor_guard.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ptxbatch {
namespace {

// The initial byte of an item holds its major type (3 bits) and a short count (5 bits), RFC 8949.
enum MajorType : std::uint8_t {
  kUnsigned = 0,
  kNegative = 1,
  kBytes = 2,
  kText = 3,
  kArray = 4,
  kMap = 5,
  kTag = 6,
  kSimple = 7,
};

class Scanner {
 public:
  explicit Scanner(std::string_view bytes) : rest_(bytes) {}

  bool scan(int max_depth) {
    // The items still to come on each open level; one item on the outermost.
    std::vector<std::uint64_t> open{1};
    while (!open.empty()) {
      if (open.back() == 0) {
        open.pop_back();
        continue;
      }
      --open.back();
      const auto children = item();
      if (!children) return false;
      if (*children > 0) {
        if (static_cast<int>(open.size()) > max_depth) return false;
        open.push_back(*children);
      }
    }
    return rest_.empty();
  }

 private:
  // Takes one item's head (and content, of strings); the number of items nested in it.
  std::optional<std::uint64_t> item() {
    if (rest_.empty()) return std::nullopt;
    const auto initial = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    const auto argument = count(initial & 0x1FU);
    if (!argument) return std::nullopt;
    switch (initial >> 5U) {
      case kUnsigned:
      case kNegative:
      case kSimple:
        return 0;
      case kBytes:
      case kText:
        if (*argument > rest_.size()) return std::nullopt;
        rest_.remove_prefix(*argument);
        return 0;
      case kArray:
        return at_most_rest(*argument);
      case kMap:
        if (*argument > rest_.size()) return std::nullopt;
        return at_most_rest(2 * *argument);
      default:
        return std::nullopt;
    }
  }

  // Each nested item takes a byte at least.
  [[nodiscard]] std::optional<std::uint64_t> at_most_rest(std::uint64_t items) const {
    if (items > rest_.size()) return std::nullopt;
    return items;
  }

  // The count in the initial byte, or in the 1, 2, 4 or 8 bytes behind it.
  std::optional<std::uint64_t> count(std::uint8_t short_count) {
    if (short_count < 24) return short_count;
    if (short_count > 27) return std::nullopt;  // reserved, or of indefinite length
    const std::size_t width = std::size_t{1} << (short_count - 24U);
    if (rest_.size() < width) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value = (value << 8U) | static_cast<std::uint8_t>(rest_[i]);
    }
    rest_.remove_prefix(width);
    return value;
  }

  std::string_view rest_;
};

}  // namespace

bool is_plain_cbor(std::string_view bytes, int max_depth) {
  return Scanner(bytes).scan(max_depth);
}

}  // namespace ptxbatch
