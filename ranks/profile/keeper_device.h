// What differs between the keepers of two targets: how a workload's state is made, shared, checked
// and timed on the device. The host target keeps it in memfds, a CUDA device in
// allocations of the virtual-memory API. The loop around it (keeper_server.h) is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/unique_fd.h"
#include "ranks/problems/comparison.h"
#include "ranks/problems/problem.h"
#include "ranks/profile/messages.h"

namespace ptxbatch {

/// Memory as it is handed to a runner: what to map, and the descriptors to map it with. The
/// receiver of an input's descriptor cannot write through it.
struct SharedTensors {
  std::vector<TensorMapping> mappings;
  std::vector<UniqueFd> fds;
};

/// The inputs and reference outputs of one workload, resident on the device.
///
/// All input sets are shown to a runner through the same memory, one at a time: prepare_call()
/// copies the wanted set there, on a GPU with its parts in a new order. A candidate therefore sees
/// the same pointers with other contents behind them, and cannot pass with a result that it
/// computed for an earlier call.
class WorkloadState {
 public:
  virtual ~WorkloadState() = default;

  /// Memory that stays taken while the state is kept.
  [[nodiscard]] virtual std::uint64_t resident_bytes() const = 0;
  /// The inputs, read-only, and outputs made afresh that no earlier candidate can reach.
  virtual Result<SharedTensors> share_with_new_runner() = 0;
  /// Set `set` into the shared inputs, poison into the outputs and the slack before them, and the
  /// caches flushed.
  virtual Status prepare_call(std::size_t set, PartOrder order) = 0;
  virtual Result<CallChecked> check_call(std::size_t set, Tolerance tolerance) = 0;
  /// What the reference is: library, version, algorithm.
  [[nodiscard]] virtual std::string reference() const = 0;
  /// Runs the reference once on the prepared set and gives its seconds, measured as a runner's are.
  virtual Result<double> time_reference(std::size_t set) = 0;
};

class KeeperDevice {
 public:
  virtual ~KeeperDevice() = default;
  [[nodiscard]] virtual DeviceInfo info() const = 0;
  /// Clocks, temperature and power now; none where the device does not tell.
  [[nodiscard]] virtual std::optional<DeviceReading> read() const { return std::nullopt; }
  /// What is held against it since this was last asked.
  [[nodiscard]] virtual DeviceErrors take_errors() { return {}; }
  virtual Result<std::unique_ptr<WorkloadState>> make_workload(const Problem& problem,
                                                               std::uint64_t input_seed,
                                                               std::size_t input_sets) = 0;
};

}  // namespace ptxbatch
