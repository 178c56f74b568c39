// The orders in which an input's independent parts are shown to a candidate, dealt like cards: none
// comes again before all others have come, and nobody outside can foretell the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace ptxbatch {

class RotationDeck {
 public:
  /// Rotations 0 to parts - 1; at least one part.
  explicit RotationDeck(std::int64_t parts, std::uint64_t seed = fresh_seed())
      : random_(seed), cards_(static_cast<std::size_t>(std::max<std::int64_t>(parts, 1))) {
    std::iota(cards_.begin(), cards_.end(), 0);
    shuffle();
  }

  void shuffle() {
    std::shuffle(cards_.begin(), cards_.end(), random_);
    dealt_ = 0;
  }
  std::int64_t deal() {
    if (dealt_ == cards_.size()) shuffle();
    return cards_[dealt_++];
  }

 private:
  static std::uint64_t fresh_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  }

  std::mt19937_64 random_;
  std::vector<std::int64_t> cards_;
  std::size_t dealt_ = 0;
};

}  // namespace ptxbatch
