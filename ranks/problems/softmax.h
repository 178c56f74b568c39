// The softmax of one row of attention scores, for each width of vectors that a
// processor may have.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptxbatch {

/// Rows are worked on in whole vectors: the memory of a row has room for padded_row(count) floats.
inline constexpr std::int64_t kSoftmaxPadding = 16;
constexpr std::int64_t padded_row(std::int64_t count) {
  return (count + kSoftmaxPadding - 1) / kSoftmaxPadding * kSoftmaxPadding;
}

/// Replaces `scores[0..count)` by their softmax and returns the natural logarithm of the sum of
/// their exponentials; the padding becomes zero. `count` is at least 1; scores are finite. The
/// relative error of a value is below 1e-6 plus 1.2e-7 for each unit that its score is below the
/// row's largest: float32 keeps no more of the difference.
using SoftmaxRow = float (*)(float* scores, std::int64_t count);

struct SoftmaxImplementation {
  std::string_view instruction_set;  // "AVX-512", "AVX2", "x86-64"
  SoftmaxRow run;
};
/// Those that this processor can run, the fastest first; never empty.
std::vector<SoftmaxImplementation> softmax_implementations();

}  // namespace ptxbatch
