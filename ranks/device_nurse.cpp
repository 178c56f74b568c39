#include "ranks/device_nurse.h"

#include "ranks/coordination.h"

namespace ptxbatch {

DeviceNurse::End DeviceNurse::judge(const Problem& problem, const std::string& turn,
                                    const std::function<void()>& judge_once) {
  while (true) {
    judge_once();
    const DeviceHealth::Finding finding = health_.after_turn(judge_.take_signs());
    if (finding.counts) {
      if (!finding.cause.empty()) {
        links_.noted(
            DeviceService::kInService, "void_turn_kept",
            turn + " counts, although " + finding.cause + " each time: the device itself is sound");
      }
      return End::kCounts;
    }
    links_.noted(DeviceService::kPaused, "turn_voided", turn + ": " + finding.cause);
    if (const auto end = nurse(problem, finding.cause)) return *end;
  }
}

std::optional<DeviceNurse::End> DeviceNurse::nurse(const Problem& problem, std::string cause) {
  while (health_.state() == DeviceHealth::State::kPaused) {
    const double pause_s = health_.pause_s();
    links_.noted(DeviceService::kPaused, "device_paused", cause);
    if (pause_s > 0 && !links_.wait(pause_s)) return End::kNotWaitedFor;
    judge_.restart();
    health_.restarted();
    links_.noted(DeviceService::kPaused, "keeper_restarted", cause);
    judge_.probe(problem);
    cause = health_.after_probe(judge_.take_signs());
  }
  if (health_.state() == DeviceHealth::State::kHealthy) {
    links_.noted(DeviceService::kInService, "device_recovered", "the probe is sound");
    return std::nullopt;
  }
  links_.noted(DeviceService::kOutOfService, "device_excluded", cause);
  return End::kOutOfService;
}

}  // namespace ptxbatch
