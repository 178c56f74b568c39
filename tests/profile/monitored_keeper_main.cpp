// monitored-keeper CHANNEL_FD CORE BUDGET: a host keeper whose device has the health of the GPU
// that NVML tells of; in tests that is simulated_nvml.cpp.
#include <cstdlib>

#include "ranks/profile/cuda/gpu_monitor.h"
#include "ranks/profile/host_keeper_device.h"
#include "ranks/profile/keeper_server.h"

namespace ptxbatch {
namespace {

class MonitoredDevice final : public KeeperDevice {
 public:
  explicit MonitoredDevice(int core) : sound_(core), monitor_("GPU-simulated") {}

  [[nodiscard]] DeviceInfo info() const override { return sound_.info(); }
  [[nodiscard]] std::optional<DeviceReading> read() const override { return monitor_.read(); }
  [[nodiscard]] DeviceErrors take_errors() override { return monitor_.take_errors(); }
  Result<std::unique_ptr<WorkloadState>> make_workload(const Problem& problem,
                                                       std::uint64_t input_seed,
                                                       std::size_t input_sets) override {
    return sound_.make_workload(problem, input_seed, input_sets);
  }

 private:
  HostKeeperDevice sound_;
  GpuMonitor monitor_;
};

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  if (argc != 4) return 1;
  ptxbatch::Channel channel{ptxbatch::UniqueFd(std::atoi(argv[1]))};
  ptxbatch::MonitoredDevice device(std::atoi(argv[2]));
  return ptxbatch::serve_keeper(channel, device, std::strtoull(argv[3], nullptr, 10)) ? 0 : 1;
}
