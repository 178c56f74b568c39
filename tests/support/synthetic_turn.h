// One turn that never happened, for tests and benchmarks: the records of a turn of a given label,
// with texts, instructions and timings as a real one has. The same for the same random numbers.
#pragma once

#include <cstdint>

#include "results/records.h"

namespace ptxbatch {

/// SplitMix64: small, and the same on every machine (the standard distributions are not).
class SyntheticRandom {
 public:
  explicit SyntheticRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// A label as frequent as in the published data.
Label draw_label(SyntheticRandom& random);

/// A turn of rank 1. Without texts it is its numbers.
TurnRecord synthetic_turn(SyntheticRandom& random, std::int32_t trajectory, std::int32_t turn,
                          Label label, bool with_texts);

/// The reply that the turn judged.
ReplyRecord synthetic_reply(SyntheticRandom& random, const TurnRecord& turn);

inline constexpr const char* kSyntheticPrompt = R"([{"role":"user","content":"Write a GEMM."}])";

}  // namespace ptxbatch
