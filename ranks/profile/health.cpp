#include "ranks/profile/health.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

namespace ptxbatch {
namespace {

// NVML's reasons for lower clocks (nvmlClocksThrottleReason*) that a sound device does not have.
// Being idle, a cap on power or clocks that somebody set are none: an H200 is at its power cap
// whenever it works hard.
struct Reason {
  std::int64_t bit;
  const char* name;
};
constexpr std::int64_t kPowerCap = 0x04;
constexpr std::array<Reason, 4> kSickReasons = {{{0x08, "hardware slowdown"},
                                                 {0x20, "thermal slowdown by software"},
                                                 {0x40, "thermal slowdown by hardware"},
                                                 {0x80, "power brake"}}};

// What a faulty program does to a sound device: exceptions, illegal addresses, an end in between.
constexpr std::array<std::int64_t, 6> kXidsOfPrograms = {13, 31, 43, 45, 68, 109};
constexpr std::int64_t kXidFallenOffTheBus = 79;

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", share * 100);
  return text.data();
}

}  // namespace

DeviceHealth::Symptoms DeviceHealth::look_at(const DeviceSigns& signs) {
  Symptoms symptoms;
  const auto note = [&symptoms](bool Symptoms::*kind, const std::string& text) {
    symptoms.*kind = true;
    symptoms.text += (symptoms.text.empty() ? "" : "; ") + text;
  };
  if (signs.unkillable) {
    note(&Symptoms::fatal, "a process on it was killed and does not end, it hangs in the kernel");
  }
  if (signs.gone) note(&Symptoms::fatal, "the driver cannot reach it any more");
  for (const std::int64_t xid : signs.xids) {
    if (std::find(kXidsOfPrograms.begin(), kXidsOfPrograms.end(), xid) != kXidsOfPrograms.end()) {
      continue;
    }
    note(xid == kXidFallenOffTheBus ? &Symptoms::fatal : &Symptoms::hardware,
         "the driver reported Xid " + std::to_string(xid));
  }
  if (ecc_errors_ >= 0 && signs.ecc_errors > ecc_errors_) {
    note(&Symptoms::hardware,
         std::to_string(signs.ecc_errors - ecc_errors_) + " uncorrected memory errors (ECC)");
  }
  ecc_errors_ = std::max(ecc_errors_, signs.ecc_errors);
  for (const Reason& reason : kSickReasons) {
    if ((signs.throttle_reasons & reason.bit) != 0) note(&Symptoms::hot, reason.name);
  }
  // At its power cap a sound GPU's clock follows the work: an H200's backward pass wanders by 5 to
  // 15 % there.
  const bool at_power_cap = (signs.throttle_reasons & kPowerCap) != 0;
  if (settings_.drift > 0 && signs.drift > settings_.drift && !at_power_cap) {
    note(&Symptoms::measurement, "the reference wandered by " + percent(signs.drift));
  }
  if (settings_.shift > 0 && signs.shift > settings_.shift) {
    note(&Symptoms::measurement,
         "the reference differs by " + percent(signs.shift) + " from its first timing");
  }
  if (signs.keepers_lost > 0) note(&Symptoms::measurement, "its keeper was lost");
  if (signs.service_failed) note(&Symptoms::measurement, "it could not be measured");
  return symptoms;
}

// `counts` towards the restarts that it may have.
void DeviceHealth::fall_ill(const Symptoms& symptoms, bool counts) {
  sound_turns_ = 0;
  hot_ = symptoms.hot;
  if (counts) ++times_ill_;
  const bool too_often = times_ill_ > settings_.restarts;
  state_ = symptoms.fatal || too_often ? State::kExcluded : State::kPaused;
}

DeviceHealth::Finding DeviceHealth::after_turn(const DeviceSigns& signs) {
  const Symptoms symptoms = look_at(signs);
  const bool beyond_doubt = symptoms.fatal || symptoms.hardware || symptoms.hot;
  if (!symptoms.any()) {
    repeats_ = 0;
    if (++sound_turns_ >= settings_.sound_turns) times_ill_ = 0;
    return {true, ""};
  }
  // The probes in between were sound: it is not the device.
  if (!beyond_doubt && repeats_ >= settings_.repeats) {
    repeats_ = 0;
    return {true, symptoms.text};
  }
  ++repeats_;
  fall_ill(symptoms, beyond_doubt);
  return {false, symptoms.text};
}

std::string DeviceHealth::after_probe(const DeviceSigns& signs) {
  const Symptoms symptoms = look_at(signs);
  if (symptoms.any()) {
    fall_ill(symptoms, true);
    return symptoms.text;
  }
  hot_ = false;
  state_ = State::kHealthy;
  return {};
}

}  // namespace ptxbatch
