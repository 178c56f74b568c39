// The softmax of one row of attention scores, in the widest vectors that this processor has.
#pragma once

#include <cstdint>

namespace ptxbatch {

/// Replaces `scores[0..count)` by their softmax and returns the natural logarithm of the sum of
/// their exponentials. `count` is at least 1; scores are finite. Relative error below 1e-6.
using SoftmaxRow = float (*)(float* scores, std::int64_t count);

/// The implementation for this processor: AVX-512, AVX2 or plain x86-64.
SoftmaxRow best_softmax();
/// The one without processor extensions: what the others are tested against.
SoftmaxRow plain_softmax();

}  // namespace ptxbatch
