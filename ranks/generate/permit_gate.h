// Leave to send a request. Limits hold for all ranks together, so it is the coordinator's to give;
// what a model client sees of that is this.
#pragma once

#include <cstdint>
#include <functional>

#include "results/records.h"

namespace ptxbatch {

/// How a permit was used, for the limits of what follows.
struct PermitUse {
  std::int64_t tokens = 0;  // of prompt and reply; what was estimated, where it is not known
  double pause_s = 0;       // the provider asks for no further request for so long
};

class PermitGate {
 public:
  virtual ~PermitGate() = default;
  /// `granted` is called once the request may be sent and its hash is on disk, from any thread.
  /// Returns the permit's number. `tokens` is an estimate for prompt and reply.
  virtual std::uint64_t ask(RequestRecord request, std::int64_t tokens,
                            std::function<void()> granted) = 0;
  /// Once for each permit, granted or not; `granted` is not called any more.
  virtual void give_back(std::uint64_t permit, PermitUse use) = 0;
};

/// Grants everything at once, for clients that run outside of an experiment.
class OpenGate final : public PermitGate {
 public:
  std::uint64_t ask(RequestRecord /*request*/, std::int64_t /*tokens*/,
                    std::function<void()> granted) override {
    granted();
    return 0;
  }
  void give_back(std::uint64_t /*permit*/, PermitUse /*use*/) override {}
};

}  // namespace ptxbatch
