#include "analysis/record_json.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace ptxbatch {

nlohmann::ordered_json rounded_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  // Times of day need all their digits.
  if (std::abs(value) >= 1e6) return std::round(value);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return std::strtod(text.data(), nullptr);
}

}  // namespace ptxbatch
