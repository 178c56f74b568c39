// A sick device from the driver's word to the event in the results: real keepers and runners on the
// host, with the health of a GPU that simulated_nvml.cpp plays from a script.
#include "ranks/device_nurse.h"

#include <fstream>

#include "ranks/coordination.h"
#include "tests/profile/judge_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using End = DeviceNurse::End;

class DeviceNurseTest : public JudgeTest {
 protected:
  DeviceNurseTest() { settings_.restarts = 2; }

  /// One line a reading: an evaluation takes three, a probe one.
  void script(const std::string& lines) { std::ofstream(scratch() + "/nvml") << lines; }

  void use_keeper(const std::string& program) {
    JudgeConfig config = small_config(scratch());
    config.protocol.iterations = 2;
    config.keeper_program = program;
    use(config);
    nurse_ = std::make_unique<DeviceNurse>(
        settings_, *judge_,
        DeviceNurse::Links{[this](DeviceService service, std::string kind, std::string message) {
                             service_ = service;
                             kinds_.push_back(std::move(kind));
                             last_message_ = std::move(message);
                           },
                           [this](double seconds) {
                             waited_s_ += seconds;
                             return waits_;
                           }});
  }

  DeviceNurse::End judge() {
    kinds_.clear();
    evaluations_ = 0;
    return nurse_->judge(gemm_problem(), "turn 0 of trajectory 0", [this] {
      ++evaluations_;
      evaluation_ = evaluate("correct");
    });
  }

  ReliabilitySettings settings_;
  std::unique_ptr<DeviceNurse> nurse_;
  Evaluation evaluation_;
  int evaluations_ = 0;
  bool waits_ = true;
  double waited_s_ = 0;
  DeviceService service_ = DeviceService::kInService;
  std::vector<std::string> kinds_;
  std::string last_message_;
};

TEST_F(DeviceNurseTest, ASoundDeviceAtItsPowerCapIsLeftInPeace) {
  script("4 65 0\n");
  use_keeper(monitored_keeper_program());
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_EQ(evaluation_.outcome, Outcome::kCorrect) << evaluation_.detail;
  EXPECT_EQ(evaluations_, 1);
  EXPECT_EQ(evaluation_.readings.size(), 2U);
  EXPECT_THAT(kinds_, IsEmpty());
}

TEST_F(DeviceNurseTest, ATurnThatAHotDeviceTouchedIsJudgedAgainWhenItHasCooledDown) {
  script("4 80 0\n44 88 0\n4 87 0\n0 60 0\n");
  use_keeper(monitored_keeper_program());
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_EQ(evaluations_, 2);
  EXPECT_EQ(waited_s_, settings_.cool_down_s);
  EXPECT_THAT(kinds_,
              ElementsAre("turn_voided", "device_paused", "keeper_restarted", "device_recovered"));
  EXPECT_EQ(service_, DeviceService::kInService);
}

TEST_F(DeviceNurseTest, ADeviceThatStaysHotIsExcluded) {
  script("40 93 0\n");
  use_keeper(monitored_keeper_program());
  EXPECT_EQ(judge(), End::kOutOfService);
  EXPECT_EQ(evaluations_, 1);
  EXPECT_THAT(kinds_, ElementsAre("turn_voided", "device_paused", "keeper_restarted",
                                  "device_paused", "keeper_restarted", "device_excluded"));
  EXPECT_THAT(last_message_, HasSubstr("thermal slowdown by hardware"));
  EXPECT_EQ(service_, DeviceService::kOutOfService);
}

TEST_F(DeviceNurseTest, ThatAPauseIsNotWaitedForSaysNothingAgainstTheDevice) {
  script("4 80 0\n44 88 0\n");
  use_keeper(monitored_keeper_program());
  waits_ = false;
  EXPECT_EQ(judge(), End::kNotWaitedFor);
  EXPECT_THAT(kinds_, ElementsAre("turn_voided", "device_paused"));
  EXPECT_EQ(service_, DeviceService::kPaused);
}

TEST_F(DeviceNurseTest, MemoryErrorsVoidATurn) {
  script("0 40 1\n0 40 1\n0 40 1\n0 40 1\n0 40 1\n0 40 3\n");
  use_keeper(monitored_keeper_program());
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_THAT(kinds_, IsEmpty());
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_EQ(evaluations_, 2);
  EXPECT_THAT(kinds_,
              ElementsAre("turn_voided", "device_paused", "keeper_restarted", "device_recovered"));
}

TEST_F(DeviceNurseTest, ACriticalErrorVoidsATurnUnlessAProgramIsToBlame) {
  script("0 40 0 31 13\n0 40 0\n0 40 0\n0 40 0 94\n0 40 0\n");
  use_keeper(monitored_keeper_program());
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_THAT(kinds_, IsEmpty());
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_EQ(evaluations_, 2);
}

TEST_F(DeviceNurseTest, ADeviceThatTheDriverHasLostIsExcludedAtOnce) {
  script("0 40 0\nlost\n");
  use_keeper(monitored_keeper_program());
  EXPECT_EQ(judge(), End::kOutOfService);
  EXPECT_THAT(kinds_, ElementsAre("turn_voided", "device_excluded"));
}

TEST_F(DeviceNurseTest, AKeeperThatDiedIsStartedAgainAndTheTurnJudgedAgain) {
  use_keeper(dying_keeper_program());
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_EQ(evaluation_.outcome, Outcome::kCorrect) << evaluation_.detail;
  EXPECT_THAT(kinds_,
              ElementsAre("turn_voided", "device_paused", "keeper_restarted", "device_recovered"));
}

TEST_F(DeviceNurseTest, WhatFailsEachTimeOnASoundDeviceIsKept) {
  std::ofstream(scratch() + "/always") << "x";
  settings_.repeats = 1;
  use_keeper(dying_keeper_program());
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_EQ(evaluation_.outcome, Outcome::kServiceFailure);
  EXPECT_EQ(evaluations_, 2);
  EXPECT_EQ(kinds_.back(), "void_turn_kept");
}

TEST_F(DeviceNurseTest, ADeviceWithoutReadingsIsTakenAtItsWord) {
  use_keeper(small_config(scratch()).keeper_program);
  EXPECT_EQ(judge(), End::kCounts);
  EXPECT_THAT(kinds_, IsEmpty());
  EXPECT_THAT(evaluation_.readings, IsEmpty());
}

}  // namespace
}  // namespace ptxbatch
