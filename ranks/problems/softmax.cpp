// One source compiled for three instruction sets. Maxima and sums are kept in independent lanes,
// since the compiler may not reorder a floating-point reduction by itself.
#include "ranks/problems/softmax.h"

#include <array>
#include <bit>
#include <cmath>

namespace ptxbatch {
namespace {

constexpr std::int64_t kLanes = 32;
using Lanes = std::array<float, kLanes>;

// Inlined into each of the three so that it is compiled with their instructions.
#define PTXBATCH_INLINE [[gnu::always_inline]] inline

/// e^x for x <= 0: x = n ln 2 + r with |r| <= ln 2 / 2, e^r by its Taylor polynomial of degree 6
/// (relative error 2e-7), and 2^n by its exponent bits. Below -87, where 2^n would leave the normal
/// range, e^-87 (1.6e-38) stands for less.
PTXBATCH_INLINE float exp_of_negative(float x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;  // few bits, so that n kLn2High is exact
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  x = x < -87.0F ? -87.0F : x;
  const float shifted = x * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float polynomial = 1.0F / 720;
  polynomial = polynomial * r + 1.0F / 120;
  polynomial = polynomial * r + 1.0F / 24;
  polynomial = polynomial * r + 1.0F / 6;
  polynomial = polynomial * r + 0.5F;
  polynomial = polynomial * r + 1.0F;
  polynomial = polynomial * r + 1.0F;
  const auto exponent = std::bit_cast<std::uint32_t>(shifted) << 23U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(polynomial) + exponent);
}

PTXBATCH_INLINE float maximum(const float* values, std::int64_t count) {
  Lanes lanes;
  lanes.fill(values[0]);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = values[i + lane] > lanes[lane] ? values[i + lane] : lanes[lane];
    }
  }
  float result = values[0];
  for (; i < count; ++i) result = values[i] > result ? values[i] : result;
  for (const float lane : lanes) result = lane > result ? lane : result;
  return result;
}

/// values[i] = e^(values[i] - shift); returns their sum.
PTXBATCH_INLINE float exponentiate(float* values, std::int64_t count, float shift) {
  Lanes lanes{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      values[i + lane] = exp_of_negative(values[i + lane] - shift);
      lanes[lane] += values[i + lane];
    }
  }
  float sum = 0;
  for (; i < count; ++i) {
    values[i] = exp_of_negative(values[i] - shift);
    sum += values[i];
  }
  for (const float lane : lanes) sum += lane;
  return sum;
}

PTXBATCH_INLINE float softmax(float* scores, std::int64_t count) {
  const float largest = maximum(scores, count);
  const float sum = exponentiate(scores, count, largest);
  const float inverse = 1.0F / sum;
  for (std::int64_t i = 0; i < count; ++i) scores[i] *= inverse;
  return largest + std::log(sum);
}

#undef PTXBATCH_INLINE

float softmax_plain(float* scores, std::int64_t count) {
  return softmax(scores, count);
}

[[gnu::target("avx2,fma")]] float softmax_avx2(float* scores, std::int64_t count) {
  return softmax(scores, count);
}

[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")]] float softmax_avx512(
    float* scores, std::int64_t count) {
  return softmax(scores, count);
}

}  // namespace

SoftmaxRow plain_softmax() {
  return softmax_plain;
}

SoftmaxRow best_softmax() {
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  if (avx512) return softmax_avx512;
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0)
    return softmax_avx2;
  return softmax_plain;
}

}  // namespace ptxbatch
