#include "ranks/profile/cuda/cuda_workload.h"

#include <algorithm>
#include <cmath>

#include "ranks/problems/operators.h"
#include "ranks/profile/cuda/activity_trace.h"
#include "ranks/profile/cuda/checked_call.h"
#include "ranks/profile/cuda/device_memory.h"
#include "ranks/profile/cuda/device_pointer.h"
#include "ranks/profile/cuda/kernels.h"
#include "ranks/profile/cuda/references.h"
#include "ranks/profile/rotation_deck.h"

namespace ptxbatch {
namespace {

constexpr std::uint8_t kCanary = 0xA5;

class Stream {
 public:
  Stream() { PTXBATCH_CALL(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cuStreamDestroy(stream_); }
  [[nodiscard]] CUstream get() const { return stream_; }
  void wait() const { PTXBATCH_CALL(cuStreamSynchronize(stream_)); }

 private:
  CUstream stream_ = nullptr;
};

void fill_with_poison(CUdeviceptr data, const Tensor& tensor, CUstream stream) {
  const auto elements = static_cast<std::size_t>(tensor.elements());
  const std::uint64_t bits = poison_bits(tensor.type);
  if (data_type_bytes(tensor.type) == 2) {
    PTXBATCH_CALL(cuMemsetD16Async(data, static_cast<unsigned short>(bits), elements, stream));
  } else {
    PTXBATCH_CALL(cuMemsetD32Async(data, static_cast<unsigned>(bits), elements, stream));
  }
}

/// Results of a check, copied back at once.
struct CheckResults {
  explicit CheckResults(std::size_t outputs)
      : comparisons(outputs * sizeof(DeviceComparison)),
        damaged(outputs * sizeof(unsigned long long)),
        partial(kComparisonBlocks * sizeof(DeviceComparison)) {}
  DeviceBuffer comparisons;  // one an output
  DeviceBuffer damaged;      // bytes of the canary
  DeviceBuffer partial;
};

OutputError output_error(const Tensor& output, const DeviceComparison& comparison) {
  OutputError error;
  error.output = output.name;
  error.max_abs = comparison.max_abs;
  error.max_rel = comparison.max_rel;
  error.elements = output.elements();
  // As on the host: a reference of zeros has no scale.
  const double scale = comparison.squared_expected > 0 ? comparison.squared_expected
                                                       : static_cast<double>(error.elements);
  if (comparison.squared_error > 0) error.rms_rel = std::sqrt(comparison.squared_error / scale);
  error.wrong = static_cast<std::int64_t>(comparison.wrong);
  error.not_finite = static_cast<std::int64_t>(comparison.not_finite);
  error.never_written = static_cast<std::int64_t>(comparison.never_written);
  if (comparison.first_wrong != UINT64_MAX) {
    error.first_wrong = static_cast<std::int64_t>(comparison.first_wrong);
  }
  return error;
}

struct InputSet {
  explicit InputSet(std::int64_t parts) : rotations(parts) {}
  RotationDeck rotations;             // not yet shown to the runner at hand
  std::vector<DeviceBuffer> inputs;   // empty for a scalar
  std::vector<DeviceBuffer> outputs;  // the reference's
};

std::vector<CUdeviceptr> addresses(const std::vector<DeviceBuffer>& buffers) {
  std::vector<CUdeviceptr> result;
  result.reserve(buffers.size());
  for (const DeviceBuffer& buffer : buffers) result.push_back(buffer.address());
  return result;
}

class CudaWorkload final : public WorkloadState {
 public:
  CudaWorkload(const GpuContext& gpu, Problem problem, std::unique_ptr<CudaReference> reference)
      : problem_(std::move(problem)),
        kind_(*find_operator(problem_.op_type)),
        parts_(std::max<std::int64_t>(kind_.independent_parts(problem_), 1)),
        reference_(std::move(reference)),
        check_(problem_.outputs.size()),
        flush_(2 * static_cast<std::uint64_t>(gpu.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE))) {
    for (const Argument& input : problem_.inputs) {
      if (input.is_scalar) continue;
      inputs_.push_back(SharedTensor::allocate(input.tensor.bytes(), gpu.device()));
    }
    for (const Tensor& output : problem_.outputs) {
      outputs_.push_back(SharedTensor::allocate(output.bytes(), gpu.device()));
      scratch_outputs_.emplace_back(output.bytes());
    }
  }

  void add_set(std::uint64_t seed, std::size_t set) {
    InputSet& made = sets_.emplace_back(parts_);
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const Argument& input = problem_.inputs[i];
      DeviceBuffer& buffer = made.inputs.emplace_back(input.is_scalar ? 0 : input.tensor.bytes());
      if (input.is_scalar || !kind_.is_random_input(i)) continue;
      launch_generate_normal(buffer.address(), input.tensor.type, input.tensor.elements(),
                             input_seed(seed, problem_.workload, static_cast<int>(set), i),
                             stream_.get());
    }
    reference_->derive_inputs(addresses(made.inputs), stream_.get());
    for (const Tensor& output : problem_.outputs) made.outputs.emplace_back(output.bytes());
    show(set, 0);
    reference_->run(shown_inputs(), addresses(made.outputs), stream_.get());
    stream_.wait();
  }

  [[nodiscard]] std::uint64_t resident_bytes() const override {
    std::uint64_t bytes = flush_.bytes() + reference_->workspace_bytes();
    for (const SharedTensor& tensor : inputs_) bytes += tensor.mapped_bytes();
    for (const SharedTensor& tensor : outputs_) bytes += tensor.mapped_bytes();
    for (const DeviceBuffer& buffer : scratch_outputs_) bytes += buffer.bytes();
    for (const InputSet& set : sets_) {
      for (const DeviceBuffer& buffer : set.inputs) bytes += buffer.bytes();
      for (const DeviceBuffer& buffer : set.outputs) bytes += buffer.bytes();
    }
    return bytes;
  }

  // The outputs are the same for every runner: a mapping ends with its process, and the runner
  // before this one has ended.
  Result<SharedTensors> share_with_new_runner() override {
    for (InputSet& set : sets_) set.rotations.shuffle();
    SharedTensors shared;
    for (const SharedTensor& tensor : inputs_) add_to(shared, tensor, false);
    for (const SharedTensor& tensor : outputs_) add_to(shared, tensor, true);
    return shared;
  }

  Status prepare_call(std::size_t set, PartOrder order) override {
    show(set, order == PartOrder::kNew ? sets_[set].rotations.deal() : rotation_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      fill_with_poison(outputs_[i].tensor(), problem_.outputs[i], stream_.get());
      PTXBATCH_CALL(
          cuMemsetD8Async(outputs_[i].slack(), kCanary, outputs_[i].slack_bytes(), stream_.get()));
    }
    PTXBATCH_CALL(cuMemsetD32Async(flush_.address(), 0, flush_.bytes() / 4, stream_.get()));
    // Read as well: lines still to be written back would slow the reference, which follows in this
    // context, and not a candidate, before which the switch of contexts writes them back.
    launch_read(flush_.address(), flush_.bytes(),
                device_pointer<unsigned long long>(check_.damaged.address()), stream_.get());
    stream_.wait();
    return {};
  }

  Result<CallChecked> check_call(std::size_t set, Tolerance tolerance) override {
    const std::size_t count = problem_.outputs.size();
    PTXBATCH_CALL(
        cuMemsetD8Async(check_.damaged.address(), 0, check_.damaged.bytes(), stream_.get()));
    auto* comparisons = device_pointer<DeviceComparison>(check_.comparisons.address());
    auto* damaged = device_pointer<unsigned long long>(check_.damaged.address());
    for (std::size_t i = 0; i < count; ++i) {
      const Tensor& output = problem_.outputs[i];
      launch_compare(outputs_[i].tensor(), sets_[set].outputs[i].address(), output.type,
                     output.elements(), rotation_ * (output.elements() / parts_), tolerance,
                     device_pointer<DeviceComparison>(check_.partial.address()), comparisons + i,
                     stream_.get());
      launch_count_damaged(outputs_[i].slack(), outputs_[i].slack_bytes(), kCanary, damaged + i,
                           stream_.get());
    }
    std::vector<DeviceComparison> compared(count);
    std::vector<unsigned long long> damages(count);
    PTXBATCH_CALL(cuMemcpyDtoHAsync(compared.data(), check_.comparisons.address(),
                                    check_.comparisons.bytes(), stream_.get()));
    PTXBATCH_CALL(cuMemcpyDtoHAsync(damages.data(), check_.damaged.address(),
                                    check_.damaged.bytes(), stream_.get()));
    stream_.wait();
    CallChecked result;
    for (std::size_t i = 0; i < count; ++i) {
      result.errors.push_back(output_error(problem_.outputs[i], compared[i]));
      if (damages[i] > 0 && result.overrun.empty()) result.overrun = problem_.outputs[i].name;
    }
    return result;
  }

  [[nodiscard]] std::string reference() const override { return reference_->description(); }

  Result<double> time_reference(std::size_t set) override {
    (void)set;  // prepare_call() has put it in place
    const auto inputs = shown_inputs();
    const auto outputs = addresses(scratch_outputs_);
    forget_activity();  // what prepare_call() did is not the reference's
    const GpuActivity activity =
        trace_activity([&] { reference_->run(inputs, outputs, stream_.get()); });
    PTXBATCH_CALL(activity.result);
    if (activity.records == 0 || activity.dropped > 0 || activity.unfinished > 0) {
      throw CudaFailure("CUPTI's records of the reference have gaps");
    }
    return activity.span_s;
  }

 private:
  static void add_to(SharedTensors& shared, const SharedTensor& tensor, bool output) {
    shared.fds.push_back(tensor.export_fd());
    shared.mappings.push_back({output, tensor.tensor_bytes(), tensor.mapped_bytes(), 1});
  }

  // Anew before every call: a runner that made its mapping writable, which the driver allows,
  // spoils nothing but its own call.
  void show(std::size_t set, std::int64_t rotation) {
    rotation_ = rotation;
    std::size_t shared = 0;
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const DeviceBuffer& input = sets_[set].inputs[i];
      if (input.bytes() == 0) continue;
      const std::uint64_t shift = kind_.is_divided_input(i)
                                      ? input.bytes() / static_cast<std::uint64_t>(parts_) *
                                            static_cast<std::uint64_t>(rotation)
                                      : 0;
      copy_rotated(inputs_[shared++].tensor(), input, shift);
    }
  }

  void copy_rotated(CUdeviceptr to, const DeviceBuffer& from, std::uint64_t shift) {
    const std::uint64_t rest = from.bytes() - shift;
    PTXBATCH_CALL(cuMemcpyDtoDAsync(to, from.address() + shift, rest, stream_.get()));
    if (shift == 0) return;
    PTXBATCH_CALL(cuMemcpyDtoDAsync(to + rest, from.address(), shift, stream_.get()));
  }

  // The reference reads the memory that candidates read.
  [[nodiscard]] std::vector<CUdeviceptr> shown_inputs() const {
    std::vector<CUdeviceptr> pointers;
    std::size_t shared = 0;
    for (const Argument& input : problem_.inputs) {
      pointers.push_back(input.is_scalar ? 0 : inputs_[shared++].tensor());
    }
    return pointers;
  }

  Problem problem_;
  const Operator& kind_;
  std::int64_t parts_ = 1;
  std::int64_t rotation_ = 0;  // of the inputs in place
  Stream stream_;
  std::unique_ptr<CudaReference> reference_;
  CheckResults check_;
  DeviceBuffer flush_;
  std::vector<SharedTensor> inputs_;  // without the scalars
  std::vector<SharedTensor> outputs_;
  std::vector<DeviceBuffer> scratch_outputs_;  // of the timed reference
  std::vector<InputSet> sets_;
};

}  // namespace

Result<std::unique_ptr<WorkloadState>> make_cuda_workload(const GpuContext& gpu,
                                                          const Problem& problem,
                                                          std::uint64_t input_seed,
                                                          std::size_t input_sets) {
  auto reference = make_cuda_reference(problem);
  if (!reference) return fail(reference.error());
  auto workload = std::make_unique<CudaWorkload>(gpu, problem, std::move(*reference));
  for (std::size_t set = 0; set < input_sets; ++set) workload->add_set(input_seed, set);
  return workload;
}

}  // namespace ptxbatch
