// float16 and bfloat16 as bits: rounding when an input is stored, widening when an output is
// compared.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "ranks/problems/problem.h"

namespace ptxbatch {

/// Round to nearest, ties to even; a NaN stays a (quiet) NaN, too large becomes infinite.
std::uint16_t float_to_bfloat16(float value);
std::uint16_t float_to_float16(float value);

inline float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// Free of branches, so that loops over it vectorise. Multiplying by 2^112 moves the exponent from
/// float16's bias to float32's, subnormals included; infinity and NaN then need their exponent set.
inline float float16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = (bits & 0x7fffU) << 13U;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const std::uint32_t not_finite = magnitude >= 0x0f800000U ? 0x7f800000U : 0U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | not_finite | sign);
}

/// Writes `values` in the format `type`, contiguously. Integer types take the value rounded to
/// the nearest integer.
void store_rounded(std::span<const float> values, DataType type, void* destination);

}  // namespace ptxbatch
