// Whether a device is sound, and what is to be done when it is not: a state machine over what was
// seen of the device (DeviceSigns), without time, processes or input and output of its own.
//
//            a symptom                keeper restarted            the probe is sound
//   kHealthy ---------> kPaused -----------------------> kOnTrial -----------------> kHealthy
//                          ^          the probe is not      |
//                          '--------------------------------'
//   kExcluded: it is beyond help, or has fallen ill again too often.
//
// A candidate may bring about some symptoms, a measurement that is void above all. They alone never
// exclude a device: the probe, which has nothing of a candidate in it, decides.
#pragma once

#include <string>

#include "ranks/experiment.h"
#include "ranks/profile/judge.h"

namespace ptxbatch {

class DeviceHealth {
 public:
  enum class State { kHealthy, kPaused, kOnTrial, kExcluded };

  explicit DeviceHealth(const ReliabilitySettings& settings) : settings_(settings) {}

  struct Finding {
    bool counts = true;  // what was measured; else it is void, and made again
    std::string cause;   // what was found, for people; may be told of a turn that counts as well
  };
  /// What was seen while a turn was judged. Only while healthy.
  Finding after_turn(const DeviceSigns& signs);

  /// Paused: seconds to leave the device alone before its keeper is started again.
  [[nodiscard]] double pause_s() const { return hot_ ? settings_.cool_down_s : 0; }
  void restarted() { state_ = State::kOnTrial; }
  /// What was seen during the probe; the cause when the device is still sick, else empty.
  std::string after_probe(const DeviceSigns& signs);

  [[nodiscard]] State state() const { return state_; }

 private:
  struct Symptoms {
    bool fatal = false;        // beyond help
    bool hardware = false;     // memory errors, critical errors
    bool hot = false;          // the device slows itself down
    bool measurement = false;  // which a candidate may be the cause of
    std::string text;

    [[nodiscard]] bool any() const { return fatal || hardware || hot || measurement; }
  };
  Symptoms look_at(const DeviceSigns& signs);
  void fall_ill(const Symptoms& symptoms, bool counts);

  ReliabilitySettings settings_;
  State state_ = State::kHealthy;
  bool hot_ = false;
  int times_ill_ = 0;  // in this illness
  int sound_turns_ = 0;
  int repeats_ = 0;               // of the turn at hand
  std::int64_t ecc_errors_ = -1;  // known so far; -1: never read
};

}  // namespace ptxbatch
