// When a device counts as sick, for how long, and for good.
#include "ranks/profile/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using State = DeviceHealth::State;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kPowerCap = 0x4;
constexpr std::int64_t kIdle = 0x1;
constexpr std::int64_t kHardwareSlowdown = 0x8;
constexpr std::int64_t kThermalSlowdown = 0x40;

DeviceSigns throttled(std::int64_t reasons) {
  DeviceSigns signs;
  signs.throttle_reasons = reasons;
  return signs;
}
DeviceSigns xid(std::int64_t number) {
  DeviceSigns signs;
  signs.xids = {number};
  return signs;
}
DeviceSigns memory_errors(std::int64_t count) {
  DeviceSigns signs;
  signs.ecc_errors = count;
  return signs;
}
DeviceSigns drift(double share) {
  DeviceSigns signs;
  signs.drift = share;
  return signs;
}

ReliabilitySettings settings() {
  ReliabilitySettings settings;
  settings.restarts = 2;
  settings.repeats = 2;
  settings.sound_turns = 3;
  settings.cool_down_s = 30;
  return settings;
}

class DeviceHealthTest : public testing::Test {
 protected:
  /// A restart and what the probe then shows; false when it still looks sick.
  bool recovers(const DeviceSigns& probe = {}) {
    health_.restarted();
    return health_.after_probe(probe).empty();
  }
  bool counts(const DeviceSigns& signs) { return health_.after_turn(signs).counts; }

  DeviceHealth health_{settings()};
};

TEST_F(DeviceHealthTest, APowerCapAndIdlenessAreNoIllness) {
  const auto finding = health_.after_turn(throttled(kPowerCap | kIdle));
  EXPECT_TRUE(finding.counts);
  EXPECT_THAT(finding.cause, IsEmpty());
  EXPECT_EQ(health_.state(), State::kHealthy);
}

TEST_F(DeviceHealthTest, AReferenceThatWandersAtThePowerCapIsNoIllness) {
  DeviceSigns signs = drift(0.12);
  signs.throttle_reasons = kPowerCap;
  EXPECT_TRUE(counts(signs));
  EXPECT_EQ(health_.state(), State::kHealthy);
  EXPECT_FALSE(counts(drift(0.12)));
}

TEST_F(DeviceHealthTest, AHotDeviceIsLeftAloneForAWhile) {
  const auto finding = health_.after_turn(throttled(kThermalSlowdown | kPowerCap));
  EXPECT_FALSE(finding.counts);
  EXPECT_THAT(finding.cause, HasSubstr("thermal slowdown by hardware"));
  EXPECT_EQ(health_.state(), State::kPaused);
  EXPECT_EQ(health_.pause_s(), 30);
  EXPECT_TRUE(recovers());
  EXPECT_EQ(health_.state(), State::kHealthy);
}

TEST_F(DeviceHealthTest, ADeviceThatStaysHotIsExcluded) {
  EXPECT_FALSE(counts(throttled(kHardwareSlowdown)));
  EXPECT_FALSE(recovers(throttled(kHardwareSlowdown)));
  EXPECT_EQ(health_.state(), State::kPaused);
  EXPECT_FALSE(recovers(throttled(kHardwareSlowdown)));
  EXPECT_EQ(health_.state(), State::kExcluded);
}

TEST_F(DeviceHealthTest, ADeviceThatFallsIllAgainAndAgainIsExcluded) {
  for (int i = 0; i < settings().restarts; ++i) {
    EXPECT_FALSE(counts(throttled(kThermalSlowdown)));
    EXPECT_TRUE(recovers());
    EXPECT_TRUE(counts({}));
  }
  EXPECT_FALSE(counts(throttled(kThermalSlowdown)));
  EXPECT_EQ(health_.state(), State::kExcluded);
}

TEST_F(DeviceHealthTest, SoundTurnsEndAnIllness) {
  for (int i = 0; i < 3 * settings().restarts; ++i) {
    EXPECT_FALSE(counts(throttled(kThermalSlowdown)));
    EXPECT_TRUE(recovers());
    for (int turn = 0; turn < settings().sound_turns; ++turn) EXPECT_TRUE(counts({}));
  }
  EXPECT_EQ(health_.state(), State::kHealthy);
}

TEST_F(DeviceHealthTest, OnlyNewMemoryErrorsCount) {
  EXPECT_TRUE(counts(memory_errors(5)));  // of whoever had the device before
  EXPECT_TRUE(counts(memory_errors(5)));
  const auto finding = health_.after_turn(memory_errors(7));
  EXPECT_FALSE(finding.counts);
  EXPECT_THAT(finding.cause, HasSubstr("2 uncorrected memory errors"));
  EXPECT_EQ(health_.pause_s(), 0);
  EXPECT_TRUE(recovers(memory_errors(7)));
}

TEST_F(DeviceHealthTest, WhatAFaultyProgramDoesIsNotTheDevicesFault) {
  for (const std::int64_t number : {13, 31, 43, 45}) EXPECT_TRUE(counts(xid(number))) << number;
  EXPECT_FALSE(counts(xid(94)));
}

TEST_F(DeviceHealthTest, ADeviceThatIsBeyondHelpIsExcludedAtOnce) {
  DeviceSigns gone;
  gone.gone = true;
  DeviceSigns hanging;
  hanging.unkillable = true;
  for (const DeviceSigns& signs : {gone, hanging, xid(79)}) {
    DeviceHealth health(settings());
    EXPECT_FALSE(health.after_turn(signs).counts);
    EXPECT_EQ(health.state(), State::kExcluded);
  }
}

TEST_F(DeviceHealthTest, AVoidMeasurementIsRepeatedAndAtLastKept) {
  for (int i = 0; i < settings().repeats; ++i) {
    EXPECT_FALSE(counts(drift(0.08)));
    EXPECT_TRUE(recovers());
  }
  const auto finding = health_.after_turn(drift(0.08));
  EXPECT_TRUE(finding.counts);
  EXPECT_THAT(finding.cause, HasSubstr("wandered by 8.0 %"));
}

// Else a few bad candidates in a row could take every device away.
TEST_F(DeviceHealthTest, VoidMeasurementsAloneNeverExcludeADevice) {
  DeviceSigns failed;
  failed.service_failed = true;
  failed.keepers_lost = 2;
  for (int i = 0; i < 20; ++i) {
    if (!counts(failed)) {
      ASSERT_EQ(health_.state(), State::kPaused);
      ASSERT_TRUE(recovers());
    }
  }
  EXPECT_EQ(health_.state(), State::kHealthy);
}

TEST_F(DeviceHealthTest, AProbeThatFailsOftenEnoughExcludesIt) {
  EXPECT_FALSE(counts(drift(0.08)));
  EXPECT_FALSE(recovers(drift(0.08)));
  EXPECT_FALSE(recovers(drift(0.08)));
  EXPECT_EQ(health_.state(), State::kPaused);
  EXPECT_FALSE(recovers(drift(0.08)));
  EXPECT_EQ(health_.state(), State::kExcluded);
}

TEST_F(DeviceHealthTest, AShiftedReferenceVoidsATurn) {
  DeviceSigns shifted;
  shifted.shift = 0.16;
  EXPECT_FALSE(counts(shifted));
  shifted.shift = 0.09;  // as much as power and clock move it on a sound device
  EXPECT_TRUE(recovers(shifted));
}

}  // namespace
}  // namespace ptxbatch
