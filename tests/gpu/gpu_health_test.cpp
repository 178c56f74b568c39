// The health of a real GPU: what NVML says of it, that a sound one is left in peace, and that what
// a faulty candidate does to it is not held against it.
#include <cstdio>

#include "ranks/device_nurse.h"
#include "ranks/profile/cuda/gpu_monitor.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::IsEmpty;

std::string text(const DeviceSigns& signs) {
  std::string xids;
  for (const std::int64_t xid : signs.xids) xids += " " + std::to_string(xid);
  return "throttle reasons " + std::to_string(signs.throttle_reasons) +
         ", uncorrected ECC errors " + std::to_string(signs.ecc_errors) + ", Xids:" + xids +
         ", drift " + std::to_string(signs.drift) + ", shift " + std::to_string(signs.shift);
}

TEST_F(GpuTest, NvmlTellsOfItsClocksAndErrors) {
  const auto info = judge_->device_info();
  ASSERT_TRUE(info) << describe(info.error());
  GpuMonitor monitor(info->id);
  const auto reading = monitor.read();
  ASSERT_TRUE(reading) << "no readings of " << info->id;
  const DeviceErrors errors = monitor.take_errors();
  std::printf(
      "%.0f MHz, memory %.0f MHz, %.0f degrees, %.1f W, throttle reasons 0x%llx, %lld ECC\n",
      reading->sm_clock_mhz, reading->memory_clock_mhz, reading->temperature_c, reading->power_w,
      static_cast<unsigned long long>(reading->throttle_reasons),
      static_cast<long long>(errors.ecc_uncorrected));
  EXPECT_GT(reading->sm_clock_mhz, 0);
  EXPECT_GT(reading->temperature_c, 0);
  EXPECT_LT(reading->temperature_c, 110);
  EXPECT_GT(reading->power_w, 0);
  EXPECT_FALSE(errors.gone);
}

class GpuHealthTest : public GpuTest {
 protected:
  /// Judged as a rank does; the events that it took.
  std::vector<std::string> judge(const Problem& problem, const std::string& candidate) {
    std::vector<std::string> kinds;
    DeviceNurse nurse(ReliabilitySettings{}, *judge_,
                      {[&](DeviceService, std::string kind, std::string message) {
                         std::printf("%s: %s\n", kind.c_str(), message.c_str());
                         kinds.push_back(std::move(kind));
                       },
                       [](double) { return false; }});
    end_ = nurse.judge(problem, candidate, [&] {
      evaluation_ = judge_->evaluate(problem, gpu_candidate(candidate));
      std::printf("%s\n", report(evaluation_).c_str());
    });
    return kinds;
  }

  std::optional<DeviceNurse::End> end_;
  Evaluation evaluation_;
};

TEST_F(GpuHealthTest, ASoundDeviceIsLeftInPeace) {
  JudgeConfig config = gpu_config(scratch());
  config.protocol.pair_blocks = 5;
  config.protocol.iterations = 50;
  config.budgets.evaluate_s = 30;
  let_references_be_candidates(config);
  use(config);
  EXPECT_THAT(judge(paper_problem("gemm"), "reference"), IsEmpty());
  EXPECT_EQ(end_, DeviceNurse::End::kCounts);
  EXPECT_EQ(evaluation_.outcome, Outcome::kCorrect) << report(evaluation_);
}

TEST_F(GpuHealthTest, ItsProbeIsSound) {
  ASSERT_TRUE(judge_->device_info());
  judge_->take_signs();
  judge_->restart();
  judge_->probe(paper_problem("gemm"));
  const DeviceSigns signs = judge_->take_signs();
  std::printf("%s\n", text(signs).c_str());
  DeviceHealth health(ReliabilitySettings{});
  EXPECT_EQ(health.after_probe(signs), "");
}

TEST_F(GpuHealthTest, AFaultyCandidateIsNotHeldAgainstIt) {
  EXPECT_THAT(judge(small_gemm(), "fault_illegal_address"), IsEmpty());
  EXPECT_EQ(end_, DeviceNurse::End::kCounts);
  EXPECT_EQ(evaluation_.outcome, Outcome::kDeviceFault) << report(evaluation_);
  EXPECT_THAT(judge(small_gemm(), "fault_endless_kernel"), IsEmpty());
  EXPECT_EQ(evaluation_.outcome, Outcome::kTimedOut) << report(evaluation_);
}

}  // namespace
}  // namespace ptxbatch
