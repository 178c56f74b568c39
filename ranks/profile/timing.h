// The arithmetic of a measurement: the speedup from pairs, and whether the times that a
// runner claims fit those that the rank saw from outside. Pure functions.
#pragma once

#include <vector>

namespace ptxbatch {

/// One timed call: as claimed by the process that made it, and as seen by the rank, which sees the
/// messages' way there and back as well. On a GPU the span takes in the keeper's comparison after
/// the call, so that work left over on the device shows in it.
struct CallTime {
  double claimed_s = 0;
  double span_s = 0;
};

/// How much longer than an honest way a candidate's may be, so that a loaded machine does not
/// convict it: a factor on the way, a constant, and a share of the claim.
struct TimingSlack {
  double way_factor = 5;
  double constant_s = 200e-6;
  double share_of_claim = 0.25;
};

std::vector<double> claimed_ms(const std::vector<CallTime>& calls);

/// Whether the claims of a candidate's calls can be true. What a span has beyond its claim is the
/// messages' way; an honest way is known from the keeper's calls, made in turn with the candidate's
/// on the same device under the same load. The candidate's median way may be longer than the
/// keeper's by the slack; no claim may be negative or longer than its span.
bool claims_fit(const std::vector<CallTime>& candidate, const std::vector<CallTime>& keeper,
                const TimingSlack& slack = {});

/// What the spans have beyond the claims: the median, in seconds.
double median_way_s(const std::vector<CallTime>& calls);

/// (largest - smallest) / smallest; 0 for fewer than two values.
double relative_spread(const std::vector<double>& values);

/// The speedups of a candidate's calls. Block i of the candidate was timed between blocks i and
/// i + 1 of the reference, whose medians are given, and each of its calls is compared with the mean
/// of the two, so that a clock that falls or rises evenly favours neither; in a last block without
/// one behind it, with the one before. Calls of no length give none.
///
/// One for each call, and not for each block: false claims in a minority of the calls, which
/// claims_fit() does not see, then cannot be a majority here either.
std::vector<double> paired_speedups(const std::vector<double>& reference_ms,
                                    const std::vector<std::vector<double>>& candidate_ms);

/// How `count` calls are split over at most `blocks` blocks: sizes that differ by one, none empty.
std::vector<int> block_sizes(int count, int blocks);

}  // namespace ptxbatch
