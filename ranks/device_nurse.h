// Judges turns on one device as long as it is sound, and nurses it when it is not: dispatch to it
// pauses, its keeper is started again, a probe decides, and the turn that the illness touched is
// judged anew. Each step is told as an event.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ranks/profile/health.h"

namespace ptxbatch {

enum class DeviceService : std::int8_t;  // coordination.h

class DeviceNurse {
 public:
  struct Links {
    /// A step, for the results file; and what the device does for the run now.
    std::function<void(DeviceService, std::string kind, std::string message)> noted;
    /// Lets so many seconds pass. False when the work is to end: nobody waits any more.
    std::function<bool(double seconds)> wait;
  };

  /// The judge must outlive it.
  DeviceNurse(const ReliabilitySettings& settings, Judge& judge, Links links)
      : judge_(judge), health_(settings), links_(std::move(links)) {}

  enum class End : std::int8_t {
    kCounts,        // what was measured last
    kOutOfService,  // the device; it is not to be called again
    kNotWaitedFor,  // the work ends while the device is paused; neither
  };
  /// Calls `judge_once` until what it measured counts, or nothing can. `turn` names the turn in
  /// events.
  [[nodiscard]] End judge(const Problem& problem, const std::string& turn,
                          const std::function<void()>& judge_once);

 private:
  /// Nothing when the device is sound again.
  std::optional<End> nurse(const Problem& problem, std::string cause);

  Judge& judge_;
  DeviceHealth health_;
  Links links_;
};

}  // namespace ptxbatch
