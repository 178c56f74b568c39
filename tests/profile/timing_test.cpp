// Blocks, and claims that cannot be true.
#include "ranks/profile/timing.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "common/median.h"
#include "ranks/profile/evaluation.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<CallTime> calls(int count, double claimed_s, double span_s) {
  return std::vector<CallTime>(static_cast<std::size_t>(count), CallTime{claimed_s, span_s});
}

TEST(PairedSpeedups, AnEvenDriftFavoursNeither) {
  EXPECT_THAT(paired_speedups({10, 12, 14}, {{11}, {13}}), ElementsAre(1, 1));
  EXPECT_THAT(paired_speedups({14, 12, 10}, {{6.5, 13}, {5.5}}), ElementsAre(2, 1, 2));
}

TEST(PairedSpeedups, ABlockWithNothingBehindItIsComparedWithTheOneBefore) {
  EXPECT_THAT(paired_speedups({10, 12}, {{11}, {6}}), ElementsAre(1, 2));
  EXPECT_THAT(paired_speedups({10}, {{5}}), ElementsAre(2));
  EXPECT_THAT(paired_speedups({10, 10}, {{0}}), IsEmpty());
}

// Six of ten calls in three of five blocks: most blocks are false, and most calls are not.
TEST(PairedSpeedups, FalseClaimsThatFitInTheMedianGainNothing) {
  std::vector<CallTime> all;
  std::vector<std::vector<double>> blocks_ms;
  for (int block = 0; block < 5; ++block) {
    std::vector<CallTime> made = calls(10, 2.5e-3, 2.6e-3);
    for (std::size_t i = 0; block < 3 && i < 6; ++i) made[i].claimed_s = 20e-6;
    all.insert(all.end(), made.begin(), made.end());
    blocks_ms.push_back(claimed_ms(made));
  }
  ASSERT_TRUE(claims_fit(all, calls(50, 2e-4, 2.4e-4)));
  EXPECT_DOUBLE_EQ(median(paired_speedups(std::vector<double>(6, 2.5), blocks_ms)), 1);
}

TEST(BlockSizes, DifferByOneAtMostAndNoneIsEmpty) {
  EXPECT_THAT(block_sizes(50, 5), ElementsAre(10, 10, 10, 10, 10));
  EXPECT_THAT(block_sizes(7, 3), ElementsAre(3, 2, 2));
  EXPECT_THAT(block_sizes(2, 5), ElementsAre(1, 1));
  EXPECT_THAT(block_sizes(0, 5), IsEmpty());
}

TEST(ClaimsFit, HonestCallsOnAQuietMachine) {
  EXPECT_TRUE(claims_fit(calls(50, 1e-3, 1.05e-3), calls(50, 2e-4, 2.4e-4)));
}

TEST(ClaimsFit, HonestCallsOnALoadedMachineWhereBothWaitLong) {
  EXPECT_TRUE(claims_fit(calls(50, 1e-3, 9e-3), calls(50, 2e-4, 5e-3)));
}

TEST(ClaimsFit, AFewDisturbedCallsConvictNobody) {
  auto candidate = calls(50, 1e-3, 1.05e-3);
  for (int i = 0; i < 20; ++i) candidate[static_cast<std::size_t>(i)].span_s = 0.1;
  EXPECT_TRUE(claims_fit(candidate, calls(50, 2e-4, 2.4e-4)));
}

TEST(ClaimsFit, NotWhenMostCallsTookFarLongerThanClaimed) {
  EXPECT_FALSE(claims_fit(calls(50, 1e-5, 5e-3), calls(50, 2e-4, 2.4e-4)));
  EXPECT_FALSE(claims_fit(calls(50, 3e-3, 5e-3), calls(50, 2e-4, 2.4e-4)));
}

TEST(ClaimsFit, TheSlackSaysHowMuchMayBeUnclaimed) {
  const TimingSlack slack{1.15, 0.3e-3, 0.25};
  const auto honest = calls(25, 2e-6, 0.8e-3);
  // 0.8 ms of an honest way and 15 % of it, 0.3 ms, and a quarter of the claim: 1.47 ms.
  EXPECT_TRUE(claims_fit(calls(50, 1e-3, 2.4e-3), honest, slack));
  EXPECT_FALSE(claims_fit(calls(50, 1e-3, 2.5e-3), honest, slack));
}

TEST(RelativeSpread, IsOfTheSmallest) {
  EXPECT_DOUBLE_EQ(relative_spread({1.0, 1.05, 1.02}), 0.05000000000000004);
  EXPECT_EQ(relative_spread({2.0}), 0);
  EXPECT_EQ(relative_spread({}), 0);
}

TEST(LeastLatency, IsTheLongerOfOperationsAndBytesAtThePeaks) {
  Problem gemm;
  gemm.op_type = "gemm";
  gemm.inputs = {{{"A", DataType::kBFloat16, {1000, 500}}, false, 0},
                 {{"B", DataType::kBFloat16, {2000, 500}}, false, 0}};
  gemm.outputs = {{"C", DataType::kBFloat16, {1000, 2000}}};
  DeviceInfo device;
  EXPECT_EQ(least_latency_ms(gemm, device), 0) << "the peaks are unknown";
  device.peak_flops_per_s = 1e12;  // 2e9 operations: 2 ms
  device.peak_bytes_per_s = 1e12;  // 7e6 bytes: 7 us
  EXPECT_DOUBLE_EQ(least_latency_ms(gemm, device), 2);
  device.peak_bytes_per_s = 1e9;
  EXPECT_DOUBLE_EQ(least_latency_ms(gemm, device), 7);
}

TEST(ClaimsFit, NotWhenAClaimIsImpossible) {
  for (const double impossible :
       {-1e-3, 1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto candidate = calls(50, 1e-3, 1.05e-3);
    candidate[49].claimed_s = impossible;
    EXPECT_FALSE(claims_fit(candidate, calls(50, 2e-4, 2.4e-4))) << impossible;
  }
}

}  // namespace
}  // namespace ptxbatch
