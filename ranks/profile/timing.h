// The arithmetic of a measurement: medians, the speedup from pairs, and whether the times that a
// runner claims fit those that the rank saw from outside. Pure functions.
#pragma once

#include <vector>

namespace ptxbatch {

/// One timed call: as claimed by the process that made it, and as seen by the rank, which sees the
/// messages' way there and back as well.
struct CallTime {
  double claimed_s = 0;
  double span_s = 0;
};

/// Of an even number: the mean of the two in the middle. 0 for none.
double median(std::vector<double> values);

std::vector<double> claimed_ms(const std::vector<CallTime>& calls);

/// Whether the claims of a candidate's calls can be true. What a span has beyond its claim is the
/// messages' way; an honest way is known from the keeper's calls, made in turn with the candidate's
/// on the same core under the same load. The candidate's median way may be longer than the keeper's
/// by a factor, a constant and a share of the claim, so that a loaded machine does not convict it;
/// no claim may be negative or longer than its span.
bool claims_fit(const std::vector<CallTime>& candidate, const std::vector<CallTime>& keeper);

/// How `count` calls are split over at most `blocks` blocks: sizes that differ by one, none empty.
std::vector<int> block_sizes(int count, int blocks);

}  // namespace ptxbatch
