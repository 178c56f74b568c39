// dying-keeper CHANNEL_FD CORE BUDGET: a host keeper that kills itself at its third comparison.
// With a file "died-once" in its folder it is a sound one; with a file "always" it dies every time.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "ranks/profile/host_keeper_device.h"
#include "ranks/profile/keeper_server.h"

namespace ptxbatch {
namespace {

bool exists(const char* path) {
  return ::access(path, F_OK) == 0;
}

class DyingWorkload final : public WorkloadState {
 public:
  explicit DyingWorkload(std::unique_ptr<WorkloadState> sound) : sound_(std::move(sound)) {}
  [[nodiscard]] std::uint64_t resident_bytes() const override { return sound_->resident_bytes(); }
  Result<SharedTensors> share_with_new_runner() override { return sound_->share_with_new_runner(); }
  Status prepare_call(std::size_t set, PartOrder order) override {
    return sound_->prepare_call(set, order);
  }
  Result<CallChecked> check_call(std::size_t set, Tolerance tolerance) override {
    if (++checks_ == 3 && (exists("always") || !exists("died-once"))) {
      std::ofstream("died-once") << "x";
      ::raise(SIGKILL);
    }
    return sound_->check_call(set, tolerance);
  }
  [[nodiscard]] std::string reference() const override { return sound_->reference(); }
  Result<double> time_reference(std::size_t set) override { return sound_->time_reference(set); }

 private:
  std::unique_ptr<WorkloadState> sound_;
  int checks_ = 0;
};

class DyingDevice final : public KeeperDevice {
 public:
  explicit DyingDevice(int core) : sound_(core) {}
  [[nodiscard]] DeviceInfo info() const override { return sound_.info(); }
  Result<std::unique_ptr<WorkloadState>> make_workload(const Problem& problem,
                                                       std::uint64_t input_seed,
                                                       std::size_t input_sets) override {
    auto made = sound_.make_workload(problem, input_seed, input_sets);
    if (!made) return made;
    return std::make_unique<DyingWorkload>(std::move(*made));
  }

 private:
  HostKeeperDevice sound_;
};

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  if (argc != 4) return 1;
  ptxbatch::Channel channel{ptxbatch::UniqueFd(std::atoi(argv[1]))};
  ptxbatch::DyingDevice device(std::atoi(argv[2]));
  return ptxbatch::serve_keeper(channel, device, std::strtoull(argv[3], nullptr, 10)) ? 0 : 1;
}
