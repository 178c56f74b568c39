#include "ranks/problems/number_formats.h"

#include <cmath>
#include <cstring>

namespace ptxbatch {
namespace {

template <class Stored, class Convert>
void store_each(std::span<const float> values, void* destination, Convert convert) {
  auto* stored = static_cast<Stored*>(destination);
  for (std::size_t i = 0; i < values.size(); ++i) stored[i] = convert(values[i]);
}

}  // namespace

std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x0040U);
  const std::uint32_t last_kept = (bits >> 16U) & 1U;
  return static_cast<std::uint16_t>((bits + 0x7fffU + last_kept) >> 16U);
}

std::uint16_t float_to_float16(float value) {
  constexpr float kSmallestNormal = 0x1p-14F;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 65520.0F)
    return static_cast<std::uint16_t>(sign | 0x7c00U);  // rounds beyond max
  if (magnitude < kSmallestNormal) {
    // In units of the smallest subnormal; the processor's own rounding is to nearest even.
    const auto units = static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24F));
    return static_cast<std::uint16_t>(sign | units);
  }
  const auto absolute = bits & 0x7fffffffU;
  const std::uint32_t last_kept = (absolute >> 13U) & 1U;
  const std::uint32_t rounded = absolute + 0x0fffU + last_kept - (112U << 23U);
  return static_cast<std::uint16_t>(sign | (rounded >> 13U));
}

void store_rounded(std::span<const float> values, DataType type, void* destination) {
  switch (type) {
    case DataType::kFloat32:
      std::memcpy(destination, values.data(), values.size_bytes());
      return;
    case DataType::kFloat16:
      return store_each<std::uint16_t>(values, destination, float_to_float16);
    case DataType::kBFloat16:
      return store_each<std::uint16_t>(values, destination, float_to_bfloat16);
    case DataType::kInt32:
      return store_each<std::int32_t>(values, destination, [](float value) {
        return static_cast<std::int32_t>(std::nearbyint(value));
      });
    case DataType::kInt64:
      return store_each<std::int64_t>(values, destination, [](float value) {
        return static_cast<std::int64_t>(std::nearbyint(value));
      });
  }
}

}  // namespace ptxbatch
