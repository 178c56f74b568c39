// The rank's view of its keeper. Started when first needed and again after it died; a keeper that
// is lost in the middle of an evaluation is an Error (kSystem) there and then, since the memory
// that it shared is gone with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ranks/problems/comparison.h"
#include "ranks/profile/device_process.h"
#include "ranks/profile/judge.h"
#include "ranks/profile/peer.h"

namespace ptxbatch {

struct KeeperSpec {
  std::string program;
  std::string scratch;  // its working directory
  DevicePlace place;
  std::uint64_t budget_bytes = 0;  // of memory for workload state; 0: the device's own choice
};

class KeeperClient {
 public:
  /// What is seen of the device, and of keepers that die, is added to `signs`.
  KeeperClient(KeeperSpec spec, DeviceSigns& signs) : spec_(std::move(spec)), signs_(signs) {}

  /// Starts the keeper unless it is alive.
  Result<DeviceInfo> ensure_running();
  void stop() { peer_.reset(); }
  /// As of the last start.
  [[nodiscard]] const DeviceInfo& device() const { return device_; }

  struct OpenedWorkload {
    std::string reference;
    std::vector<TensorMapping> mappings;
    std::vector<UniqueFd> fds;
  };
  /// `input_sets` distinct inputs. Errors of the problem itself are kInput.
  Result<OpenedWorkload> open(const Problem& problem, std::uint64_t input_seed, int input_sets);
  Status prepare(int set, PartOrder order = PartOrder::kNew);
  struct Check {
    CallChecked result;
    double span_s = 0;  // by the rank's clock
  };
  Result<Check> check(int set, Tolerance tolerance);

  struct ReferenceCall {
    double claimed_s = 0;
    double span_s = 0;  // by the rank's clock
  };
  Result<ReferenceCall> time_reference(int set);
  /// None on the host.
  Result<std::optional<DeviceReading>> read_device();

 private:
  template <class Reply, class Request>
  Result<Answer<Reply>> ask(Request request);
  Error error_of(const PeerFailure& failure);

  KeeperSpec spec_;
  DeviceSigns& signs_;
  std::unique_ptr<Peer> peer_;  // none: not started, or lost
  DeviceInfo device_;
};

}  // namespace ptxbatch
