// Arithmetic on pairs of floats in one 64-bit register, twice the rate of single ones, and packed
// conversions. PTX ISA: add, mul, fma with .f32x2; cvt.
#pragma once

#include "thread.cuh"

namespace ptx {

/// Two floats in one register pair.
__device__ __forceinline__ std::uint64_t pack_floats(float low, float high) {
  std::uint64_t pair;
  asm("mov.b64 %0, {%1, %2};" : "=l"(pair) : "f"(low), "f"(high));
  return pair;
}

__device__ __forceinline__ void unpack_floats(std::uint64_t pair, float& low, float& high) {
  asm("mov.b64 {%0, %1}, %2;" : "=f"(low), "=f"(high) : "l"(pair));
}

/// a * b + c of both halves, each rounded once.
__device__ __forceinline__ std::uint64_t fma_floats(std::uint64_t a, std::uint64_t b,
                                                    std::uint64_t c) {
  std::uint64_t d;
  asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "l"(b), "l"(c));
  return d;
}

/// a * b of both halves.
__device__ __forceinline__ std::uint64_t multiply_floats(std::uint64_t a, std::uint64_t b) {
  std::uint64_t d;
  asm("mul.rn.f32x2 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b));
  return d;
}

/// a + b of both halves.
__device__ __forceinline__ std::uint64_t add_floats(std::uint64_t a, std::uint64_t b) {
  std::uint64_t d;
  asm("add.rn.f32x2 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b));
  return d;
}

/// The largest of three floats in one instruction.
__device__ __forceinline__ float max_of_three(float a, float b, float c) {
  float d;
  asm("max.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
  return d;
}

}  // namespace ptx
