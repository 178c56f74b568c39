// Attention by cuDNN, through cudnn-frontend's graphs: sdpa with the softmax statistics, which are
// natural logarithms of the sums, and sdpa_backward. Layout [B,H,S,D], scale 1/sqrt(D); causal is
// aligned to the top left. The header takes tens of seconds to compile, so nothing else includes
// it.
#include <cudnn_frontend.h>

#include <cmath>
#include <unordered_map>

#include "ranks/profile/cuda/device_memory.h"
#include "ranks/profile/cuda/device_pointer.h"
#include "ranks/profile/cuda/reference_call.h"
#include "ranks/profile/cuda/references.h"

namespace ptxbatch {
namespace {

namespace fe = cudnn_frontend;
using Bindings = std::unordered_map<std::int64_t, void*>;

enum TensorId : std::int64_t { kQ = 1, kK, kV, kO, kStats, kDO, kDQ, kDK, kDV };

void check_graph(fe::error_t error, const char* doing) {
  if (error.is_bad())
    throw CudaFailure(std::string("cuDNN, ") + doing + ": " + error.get_message());
}

struct AttentionShape {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t tokens = 0;
  std::int64_t width = 0;
  fe::DataType_t type = fe::DataType_t::BFLOAT16;
  bool causal = false;
};

AttentionShape shape_of(const Problem& problem) {
  const Tensor& q = problem.inputs[0].tensor;
  return {q.shape[0],
          q.shape[1],
          q.shape[2],
          q.shape[3],
          q.type == DataType::kBFloat16 ? fe::DataType_t::BFLOAT16 : fe::DataType_t::HALF,
          problem.op_type.ends_with("_causal")};
}

class CudnnHandle {
 public:
  CudnnHandle() { PTXBATCH_CALL(cudnnCreate(&handle_)); }
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
  ~CudnnHandle() { cudnnDestroy(handle_); }
  [[nodiscard]] cudnnHandle_t get() const { return handle_; }

 private:
  cudnnHandle_t handle_ = nullptr;
};

/// A built graph and its workspace.
class Plan {
 public:
  explicit Plan(const AttentionShape& shape) : shape_(shape) {
    graph_.set_io_data_type(shape.type)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
  }

  fe::graph::Graph& graph() { return graph_; }

  std::shared_ptr<fe::graph::Tensor_attributes> input(const char* name, TensorId id) {
    return graph_.tensor(full(fe::graph::Tensor_attributes().set_name(name)).set_uid(id));
  }
  std::shared_ptr<fe::graph::Tensor_attributes> stats_input() {
    return graph_.tensor(per_row(fe::graph::Tensor_attributes().set_name("stats")).set_uid(kStats));
  }
  void output(fe::graph::Tensor_attributes& tensor, TensorId id) {
    full(tensor).set_output(true).set_uid(id);
  }
  // Dense: other strides build, and give wrong gradients.
  void stats_output(fe::graph::Tensor_attributes& tensor) {
    per_row(tensor).set_output(true).set_uid(kStats);
  }

  template <class Attributes>
  void set_mask_and_scale(Attributes& attributes) const {
    attributes.set_attn_scale(1.0F / std::sqrt(static_cast<float>(shape_.width)));
    if (!shape_.causal) return;
    attributes.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT)
        .set_diagonal_band_right_bound(0);
  }

  void build(cudnnHandle_t handle, const char* name) {
    check_graph(graph_.build(handle, {fe::HeurMode_t::A}), name);
    std::int64_t bytes = 0;
    check_graph(graph_.get_workspace_size(bytes), name);
    workspace_ = DeviceBuffer(static_cast<std::uint64_t>(bytes));
  }

  void execute(cudnnHandle_t handle, Bindings bindings) {
    check_graph(graph_.execute(handle, bindings, device_pointer(workspace_.address())),
                "running the reference");
  }

  [[nodiscard]] std::uint64_t workspace_bytes() const { return workspace_.bytes(); }

 private:
  fe::graph::Tensor_attributes& full(fe::graph::Tensor_attributes& tensor) const {
    const auto& [batch, heads, tokens, width, type, causal] = shape_;
    return tensor.set_dim({batch, heads, tokens, width})
        .set_stride({heads * tokens * width, tokens * width, width, 1});
  }
  fe::graph::Tensor_attributes& per_row(fe::graph::Tensor_attributes& tensor) const {
    const auto& [batch, heads, tokens, width, type, causal] = shape_;
    return tensor.set_data_type(fe::DataType_t::FLOAT)
        .set_dim({batch, heads, tokens, 1})
        .set_stride({heads * tokens, tokens, 1, 1});
  }

  AttentionShape shape_;
  fe::graph::Graph graph_;
  DeviceBuffer workspace_;
};

std::unique_ptr<Plan> make_forward(const AttentionShape& shape, cudnnHandle_t handle) {
  auto plan = std::make_unique<Plan>(shape);
  auto attributes = fe::graph::SDPA_attributes().set_name("forward").set_generate_stats(true);
  plan->set_mask_and_scale(attributes);
  auto [o, stats] = plan->graph().sdpa(plan->input("Q", kQ), plan->input("K", kK),
                                       plan->input("V", kV), attributes);
  plan->output(*o, kO);
  plan->stats_output(*stats);
  plan->build(handle, "building the forward pass");
  return plan;
}

std::unique_ptr<Plan> make_backward(const AttentionShape& shape, cudnnHandle_t handle) {
  auto plan = std::make_unique<Plan>(shape);
  auto attributes = fe::graph::SDPA_backward_attributes().set_name("backward");
  plan->set_mask_and_scale(attributes);
  auto [dq, dk, dv] = plan->graph().sdpa_backward(
      plan->input("Q", kQ), plan->input("K", kK), plan->input("V", kV), plan->input("O", kO),
      plan->input("dO", kDO), plan->stats_input(), attributes);
  plan->output(*dq, kDQ);
  plan->output(*dk, kDK);
  plan->output(*dv, kDV);
  plan->build(handle, "building the backward pass");
  return plan;
}

class CudnnForward final : public CudaReference {
 public:
  explicit CudnnForward(const AttentionShape& shape) : plan_(make_forward(shape, handle_.get())) {}

  void run(const std::vector<CUdeviceptr>& inputs, const std::vector<CUdeviceptr>& outputs,
           CUstream stream) override {
    PTXBATCH_CALL(cudnnSetStream(handle_.get(), stream));
    plan_->execute(handle_.get(), {{kQ, device_pointer(inputs[0])},
                                   {kK, device_pointer(inputs[1])},
                                   {kV, device_pointer(inputs[2])},
                                   {kO, device_pointer(outputs[0])},
                                   {kStats, device_pointer(outputs[1])}});
  }
  [[nodiscard]] std::uint64_t workspace_bytes() const override { return plan_->workspace_bytes(); }
  [[nodiscard]] std::string description() const override { return cudnn_version() + ", sdpa"; }

 private:
  CudnnHandle handle_;
  std::unique_ptr<Plan> plan_;
};

/// Inputs Q, K, V, O, dO, L; the forward pass makes O and L.
class CudnnBackward final : public CudaReference {
 public:
  explicit CudnnBackward(const AttentionShape& shape)
      : forward_(make_forward(shape, handle_.get())), plan_(make_backward(shape, handle_.get())) {}

  void derive_inputs(const std::vector<CUdeviceptr>& inputs, CUstream stream) override {
    PTXBATCH_CALL(cudnnSetStream(handle_.get(), stream));
    forward_->execute(handle_.get(), {{kQ, device_pointer(inputs[0])},
                                      {kK, device_pointer(inputs[1])},
                                      {kV, device_pointer(inputs[2])},
                                      {kO, device_pointer(inputs[3])},
                                      {kStats, device_pointer(inputs[5])}});
  }
  void run(const std::vector<CUdeviceptr>& inputs, const std::vector<CUdeviceptr>& outputs,
           CUstream stream) override {
    PTXBATCH_CALL(cudnnSetStream(handle_.get(), stream));
    plan_->execute(handle_.get(), {{kQ, device_pointer(inputs[0])},
                                   {kK, device_pointer(inputs[1])},
                                   {kV, device_pointer(inputs[2])},
                                   {kO, device_pointer(inputs[3])},
                                   {kDO, device_pointer(inputs[4])},
                                   {kStats, device_pointer(inputs[5])},
                                   {kDQ, device_pointer(outputs[0])},
                                   {kDK, device_pointer(outputs[1])},
                                   {kDV, device_pointer(outputs[2])}});
  }
  [[nodiscard]] std::uint64_t workspace_bytes() const override {
    return forward_->workspace_bytes() + plan_->workspace_bytes();
  }
  [[nodiscard]] std::string description() const override {
    return cudnn_version() + ", sdpa_backward";
  }

 private:
  CudnnHandle handle_;
  std::unique_ptr<Plan> forward_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace

Result<std::unique_ptr<CudaReference>> make_cudnn_attention(const Problem& problem) {
  const AttentionShape shape = shape_of(problem);
  if (shape.width % 8 != 0 || shape.width > 256) {
    return fail(ErrorKind::kInput,
                "cuDNN computes attention for head sizes that are multiples of 8 up to 256, and " +
                    problem.definition + " has " + std::to_string(shape.width));
  }
  if (problem.op_type.starts_with("mha_bwd")) return std::make_unique<CudnnBackward>(shape);
  return std::make_unique<CudnnForward>(shape);
}

}  // namespace ptxbatch
