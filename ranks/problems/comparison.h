// The paper's rule for a right output. An element x is wrong against the reference's y only if
//   |x - y| > absolute  and  |x - y| / (|y| + 1e-8) > relative,
// or if x or y is not finite. Outputs are filled with a poison before each call, so that an element
// that was never written is seen as such.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ranks/problems/problem.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

struct Tolerance {
  double absolute = 1e-2;
  double relative = 1e-2;
};

/// The bits of one poisoned element, in the low data_type_bytes(type) bytes: a quiet NaN with a
/// payload that no arithmetic makes (integer types: a negative number of the same look).
std::uint64_t poison_bits(DataType type);

/// Fills all elements of `output`, contiguous at `data`, with the poison.
void fill_with_poison(const Tensor& output, void* data);

/// Compares one output, element by element, in double precision. `actual` and `expected` are
/// contiguous, of the output's type and shape. An element that still holds the poison counts as
/// wrong and as never_written, any other that is not finite as wrong and as not_finite. Largest and
/// RMS errors are over the elements where x and y are finite.
OutputError compare_output(const Tensor& output, const void* actual, const void* expected,
                           Tolerance tolerance);

/// Joins the comparison of a further trial into `total`: the largest errors, the sums of the
/// counts, and the first wrong index of the earliest trial that has one. An OutputError as
/// constructed is the neutral start.
void accumulate(OutputError& total, const OutputError& trial);

inline bool is_right(const OutputError& error) {
  return error.wrong == 0;
}

inline bool all_right(const std::vector<OutputError>& errors) {
  return std::all_of(errors.begin(), errors.end(), is_right);
}

}  // namespace ptxbatch
