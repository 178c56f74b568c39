// One source compiled for three instruction sets, on vectors of sixteen floats: one AVX-512
// register, two of AVX2, four of plain x86-64.
#include "ranks/problems/softmax.h"

#include <cmath>
#include <cstring>

namespace ptxbatch {
namespace {

constexpr int kLanes = kSoftmaxPadding;
using Floats [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using Words [[gnu::vector_size(kLanes * sizeof(float))]] = std::uint32_t;

// Inlined into each of the three, so that it is compiled with their instructions. Vectors go by
// reference: how they are passed by value depends on the instruction set.
#define PTXBATCH_INLINE [[gnu::always_inline]] inline

PTXBATCH_INLINE void load(Floats& vector, const float* memory) {
  std::memcpy(&vector, memory, sizeof vector);
}
PTXBATCH_INLINE void store(const Floats& vector, float* memory) {
  std::memcpy(memory, &vector, sizeof vector);
}

/// e^x for x <= 0: x = n ln 2 + r with |r| <= ln 2 / 2, e^r by its Taylor polynomial of degree 6
/// (relative error 2e-7), and 2^n by its exponent bits. Below -87, where 2^n would leave the normal
/// range, e^-87 (1.6e-38) stands for less.
PTXBATCH_INLINE void exp_of_negative(Floats& x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;  // few bits, so that n kLn2High is exact
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const Floats least = Floats{} - 87.0F;
  x = x < least ? least : x;
  const Floats shifted = x * kLog2E + kRounder;
  const Floats n = shifted - kRounder;
  const Floats r = (x - n * kLn2High) - n * kLn2Low;
  Floats polynomial = r * (1.0F / 720) + 1.0F / 120;
  polynomial = polynomial * r + 1.0F / 24;
  polynomial = polynomial * r + 1.0F / 6;
  polynomial = polynomial * r + 0.5F;
  polynomial = polynomial * r + 1.0F;
  polynomial = polynomial * r + 1.0F;
  const Words exponent = reinterpret_cast<Words>(shifted) << 23U;
  x = reinterpret_cast<Floats>(reinterpret_cast<Words>(polynomial) + exponent);
}

/// `vector` in the lanes that belong to the row, `other` in those behind its end.
PTXBATCH_INLINE void replace_padding(Floats& vector, std::int64_t first, std::int64_t count,
                                     float other) {
  constexpr Words kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto lanes_of_row = static_cast<std::uint32_t>(count - first);
  vector = kLane < lanes_of_row ? vector : Floats{} + other;
}

PTXBATCH_INLINE float maximum(const float* values, std::int64_t count) {
  Floats lanes = Floats{} + values[0];
  for (std::int64_t i = 0; i < count; i += kLanes) {
    Floats next;
    load(next, values + i);
    replace_padding(next, i, count, values[0]);
    lanes = next > lanes ? next : lanes;
  }
  float result = lanes[0];
  for (int lane = 1; lane < kLanes; ++lane) result = lanes[lane] > result ? lanes[lane] : result;
  return result;
}

/// values[i] = e^(values[i] - shift); returns their sum.
PTXBATCH_INLINE float exponentiate(float* values, std::int64_t count, float shift) {
  Floats lanes{};
  for (std::int64_t i = 0; i < count; i += kLanes) {
    Floats next;
    load(next, values + i);
    next -= shift;
    exp_of_negative(next);
    replace_padding(next, i, count, 0.0F);
    store(next, values + i);
    lanes += next;
  }
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += lanes[lane];
  return sum;
}

PTXBATCH_INLINE void multiply(float* values, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    Floats next;
    load(next, values + i);
    next *= factor;
    store(next, values + i);
  }
}

PTXBATCH_INLINE float softmax(float* scores, std::int64_t count) {
  const float largest = maximum(scores, count);
  const float sum = exponentiate(scores, count, largest);
  multiply(scores, count, 1.0F / sum);
  return largest + std::log(sum);
}

#undef PTXBATCH_INLINE

float softmax_plain(float* scores, std::int64_t count) {
  return softmax(scores, count);
}

[[gnu::target("avx2,fma")]] float softmax_avx2(float* scores, std::int64_t count) {
  return softmax(scores, count);
}

[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl")]] float softmax_avx512(float* scores,
                                                                           std::int64_t count) {
  return softmax(scores, count);
}

}  // namespace

std::vector<SoftmaxImplementation> softmax_implementations() {
  std::vector<SoftmaxImplementation> usable;
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0) {
    usable.push_back({"AVX-512", softmax_avx512});
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    usable.push_back({"AVX2", softmax_avx2});
  }
  usable.push_back({"x86-64", softmax_plain});
  return usable;
}

}  // namespace ptxbatch
