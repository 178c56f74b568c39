#include "ranks/profile/host_keeper_device.h"

#include <fcntl.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "common/clock.h"
#include "ranks/problems/host_references.h"
#include "ranks/problems/number_formats.h"
#include "ranks/problems/operators.h"
#include "ranks/profile/cache_flush.h"
#include "ranks/profile/shared_memory.h"

namespace ptxbatch {
namespace {

/// A tensor in shared memory, mapped by the keeper.
struct SharedTensor {
  UniqueFd fd;
  GuardedMapping mapping;
};

Result<SharedTensor> make_shared_tensor(std::uint64_t bytes, Sharing sharing) {
  auto fd = make_shared_memory(mapped_bytes_for(bytes));
  if (!fd) return fail(fd.error());
  auto mapping = GuardedMapping::map(fd->get(), mapped_bytes_for(bytes), bytes,
                                     GuardedMapping::Access::kReadWrite);
  if (!mapping) return fail(mapping.error());
  if (auto sealed = seal(fd->get(), sharing); !sealed) return fail(sealed.error());
  return SharedTensor{std::move(*fd), std::move(*mapping)};
}

Status add_to(SharedTensors& shared, const SharedTensor& tensor, bool output) {
  const int copy = ::fcntl(tensor.fd.get(), F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return fail(system_error("cannot pass a tensor on", errno));
  shared.fds.emplace_back(copy);
  const std::uint64_t bytes = tensor.mapping.tensor().size();
  shared.mappings.push_back({output, bytes, mapped_bytes_for(bytes), 1});
  return {};
}

constexpr auto kCanary = std::byte{0xA5};

/// One distinct set of inputs and what the reference makes of it, in the keeper's own memory.
struct InputSet {
  std::vector<std::vector<float>> inputs;   // empty for a scalar
  std::vector<std::vector<float>> outputs;  // the reference's
};

class HostWorkload final : public WorkloadState {
 public:
  static Result<std::unique_ptr<WorkloadState>> make(const Problem& problem,
                                                     std::uint64_t input_seed,
                                                     std::size_t input_sets) {
    auto reference = make_host_reference(problem);
    if (!reference) return fail(reference.error());
    auto workload = std::unique_ptr<HostWorkload>(new HostWorkload(problem, std::move(*reference)));
    if (auto made = workload->make_shared_inputs(); !made) return fail(made.error());
    for (std::size_t set = 0; set < input_sets; ++set) workload->add_set(input_seed, set);
    return workload;
  }

  [[nodiscard]] std::uint64_t resident_bytes() const override {
    std::uint64_t bytes = 0;
    for (const SharedTensor& input : shared_inputs_) bytes += input.mapping.reserved().size();
    for (const Tensor& output : problem_.outputs) {
      bytes += (sets_.size() + 2) * output.bytes();  // with the shared one and the reference's own
    }
    for (const InputSet& set : sets_) {
      for (const auto& input : set.inputs) bytes += input.size() * sizeof(float);
    }
    return bytes;
  }

  Result<SharedTensors> share_with_new_runner() override {
    shared_outputs_.clear();
    for (const Tensor& output : problem_.outputs) {
      auto tensor = make_shared_tensor(output.bytes(), Sharing::kReadWrite);
      if (!tensor) return fail(tensor.error());
      shared_outputs_.push_back(std::move(*tensor));
    }
    SharedTensors shared;
    for (const SharedTensor& input : shared_inputs_) {
      if (auto added = add_to(shared, input, false); !added) return fail(added.error());
    }
    for (const SharedTensor& output : shared_outputs_) {
      if (auto added = add_to(shared, output, true); !added) return fail(added.error());
    }
    return shared;
  }

  [[nodiscard]] std::string reference() const override { return host_reference_library(); }

  Status prepare_call(std::size_t set, PartOrder /*order*/) override {
    if (present_set_ != set) show(set);
    for (std::size_t i = 0; i < shared_outputs_.size(); ++i) {
      const GuardedMapping& output = shared_outputs_[i].mapping;
      fill_with_poison(problem_.outputs[i], output.tensor().data());
      std::fill(output.slack().begin(), output.slack().end(), kCanary);
      flush_from_caches(output.tensor());
    }
    for (const SharedTensor& input : shared_inputs_) flush_from_caches(input.mapping.tensor());
    for (auto& output : scratch_outputs_) flush_from_caches(std::as_bytes(std::span(output)));
    return {};
  }

  Result<CallChecked> check_call(std::size_t set, Tolerance tolerance) override {
    CallChecked result;
    for (std::size_t i = 0; i < shared_outputs_.size(); ++i) {
      const GuardedMapping& output = shared_outputs_[i].mapping;
      const auto slack = output.slack();
      const bool whole =
          std::all_of(slack.begin(), slack.end(), [](std::byte byte) { return byte == kCanary; });
      if (!whole && result.overrun.empty()) result.overrun = problem_.outputs[i].name;
      result.errors.push_back(compare_output(problem_.outputs[i], output.tensor().data(),
                                             sets_[set].outputs[i].data(), tolerance));
    }
    return result;
  }

  Result<double> time_reference(std::size_t set) override {
    if (present_set_ != set) return fail(ErrorKind::kProtocol, "this input set is not prepared");
    std::vector<float*> outputs;
    for (auto& output : scratch_outputs_) outputs.push_back(output.data());
    const auto inputs = shown_inputs();
    const auto start = SteadyClock::now();
    reference_->run(inputs, outputs);
    return seconds_since(start);
  }

 private:
  HostWorkload(Problem problem, std::unique_ptr<HostReference> reference)
      : problem_(std::move(problem)), reference_(std::move(reference)) {
    for (const Tensor& output : problem_.outputs) {
      scratch_outputs_.emplace_back(static_cast<std::size_t>(output.elements()));
    }
  }

  Status make_shared_inputs() {
    for (const Argument& input : problem_.inputs) {
      if (input.is_scalar) continue;
      auto tensor = make_shared_tensor(input.tensor.bytes(), Sharing::kReadOnly);
      if (!tensor) return fail(tensor.error());
      shared_inputs_.push_back(std::move(*tensor));
    }
    return {};
  }

  void add_set(std::uint64_t seed, std::size_t set) {
    InputSet& made = sets_.emplace_back();
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const Argument& input = problem_.inputs[i];
      auto& values = made.inputs.emplace_back();
      if (input.is_scalar) continue;
      values.resize(static_cast<std::size_t>(input.tensor.elements()));
      generate_normal(input_seed(seed, problem_.workload, static_cast<int>(set), i), 0, values);
    }
    show(set);
    std::vector<float*> outputs;
    for (const Tensor& output : problem_.outputs) {
      outputs.push_back(
          made.outputs.emplace_back(static_cast<std::size_t>(output.elements())).data());
    }
    reference_->run(shown_inputs(), outputs);
  }

  void show(std::size_t set) {
    std::size_t shared = 0;
    for (const auto& values : sets_[set].inputs) {
      if (values.empty()) continue;
      const auto tensor = shared_inputs_[shared++].mapping.tensor();
      std::memcpy(tensor.data(), values.data(), tensor.size());
    }
    present_set_ = set;
  }

  // The reference reads the memory that candidates read, so that both start from the same caches.
  [[nodiscard]] std::vector<const float*> shown_inputs() const {
    std::vector<const float*> pointers;
    std::size_t shared = 0;
    for (const Argument& input : problem_.inputs) {
      pointers.push_back(input.is_scalar ? nullptr
                                         : reinterpret_cast<const float*>(
                                               shared_inputs_[shared++].mapping.tensor().data()));
    }
    return pointers;
  }

  Problem problem_;
  std::unique_ptr<HostReference> reference_;
  std::vector<InputSet> sets_;
  std::vector<SharedTensor> shared_inputs_;   // without the scalars
  std::vector<SharedTensor> shared_outputs_;  // of the present runner
  std::vector<std::vector<float>> scratch_outputs_;
  std::optional<std::size_t> present_set_;
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "x86-64 processor";
}

}  // namespace

DeviceInfo HostKeeperDevice::info() const {
  utsname system{};
  ::uname(&system);
  const std::string core = "core " + std::to_string(core_);
  DeviceInfo info;
  info.name = processor_name() + ", " + core;
  info.id = std::string(system.nodename) + " " + core;
  info.libraries =
      host_reference_library() + "; caches: inputs and outputs flushed before each call";
  return info;
}

Result<std::unique_ptr<WorkloadState>> HostKeeperDevice::make_workload(const Problem& problem,
                                                                       std::uint64_t input_seed,
                                                                       std::size_t input_sets) {
  return HostWorkload::make(problem, input_seed, input_sets);
}

}  // namespace ptxbatch
