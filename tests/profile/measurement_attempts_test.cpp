// Which of a trial's measurements counts, whatever order they come in.
#include "ranks/profile/measurement_attempts.h"

#include <gtest/gtest.h>

#include <vector>

namespace ptxbatch {
namespace {

using Finding = MeasurementAttempts::Finding;
using Next = MeasurementAttempts::Next;
constexpr Finding S = Finding::kSound;
constexpr Finding D = Finding::kDrifted;
constexpr Finding M = Finding::kMisfit;

/// What follows from the last of these; all before it must lead to another one.
Next after(const std::vector<Finding>& findings) {
  MeasurementAttempts attempts;
  for (std::size_t i = 0; i + 1 < findings.size(); ++i) {
    EXPECT_EQ(attempts.after(findings[i]), Next::kMeasureAgain) << i;
  }
  return attempts.after(findings.back());
}

TEST(MeasurementAttempts, ASoundOneCountsWhateverWasBefore) {
  for (const auto& before :
       std::vector<std::vector<Finding>>{{}, {D}, {M}, {D, D}, {M, D}, {D, M}}) {
    auto findings = before;
    findings.push_back(S);
    EXPECT_EQ(after(findings), Next::kKeepThis);
  }
}

TEST(MeasurementAttempts, TwoMisfitsConvict) {
  EXPECT_EQ(after({M, M}), Next::kConvict);
  EXPECT_EQ(after({M, D, M}), Next::kConvict);
  EXPECT_EQ(after({D, M, M}), Next::kConvict);
}

TEST(MeasurementAttempts, OneDisturbedAmongDriftedOnesConvictsNobody) {
  EXPECT_EQ(after({M, D, D}), Next::kKeepSteadiest);
  EXPECT_EQ(after({D, M, D}), Next::kKeepSteadiest);
  EXPECT_EQ(after({D, D, M}), Next::kKeepSteadiest);
  EXPECT_EQ(after({D, D, D}), Next::kKeepSteadiest);
}

}  // namespace
}  // namespace ptxbatch
