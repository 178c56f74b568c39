#include "ranks/profile/host_runner_device.h"

#include "common/clock.h"

namespace ptxbatch {

Result<void*> HostRunnerDevice::map_tensor(const TensorMapping& mapping, std::vector<UniqueFd> fds,
                                           const std::string& name) {
  if (fds.size() != 1) return fail(ErrorKind::kProtocol, "a host tensor has one descriptor");
  auto mapped = GuardedMapping::map(
      fds.front().get(), mapping.mapped_bytes, mapping.tensor_bytes,
      mapping.output ? GuardedMapping::Access::kReadWrite : GuardedMapping::Access::kRead);
  if (!mapped) return fail(mapped.error());
  tensors_.push_back({std::move(*mapped), name, mapping.output});
  return static_cast<void*>(tensors_.back().mapping.tensor().data());
}

Result<TimedCall> HostRunnerDevice::time_call(const std::function<void()>& call) {
  const auto start = SteadyClock::now();
  call();
  TimedCall timed;
  timed.seconds = seconds_since(start);
  return timed;
}

std::vector<FaultRegion> HostRunnerDevice::fault_regions() const {
  std::vector<FaultRegion> regions;
  for (const MappedTensor& tensor : tensors_) {
    const auto reserved = tensor.mapping.reserved();
    const auto data = tensor.mapping.tensor();
    const auto before = reserved.first(static_cast<std::size_t>(data.data() - reserved.data()));
    const auto behind = reserved.subspan(before.size() + data.size());
    if (!tensor.output) regions.push_back({data, tensor.name + " (read-only)"});
    regions.push_back({before, "just before " + tensor.name});
    regions.push_back({behind, "just behind " + tensor.name});
  }
  return regions;
}

}  // namespace ptxbatch
