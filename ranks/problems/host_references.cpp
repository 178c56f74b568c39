#include "ranks/problems/host_references.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "ranks/problems/operators.h"
#include "ranks/problems/reference_support.h"
#include "ranks/problems/softmax.h"

namespace ptxbatch {
namespace {

/// C = A B^T.
class GemmReference final : public HostReference {
 public:
  explicit GemmReference(const Problem& problem)
      : m_(static_cast<blasint>(problem.inputs[0].tensor.shape[0])),
        n_(static_cast<blasint>(problem.inputs[1].tensor.shape[0])),
        k_(static_cast<blasint>(problem.inputs[0].tensor.shape[1])) {}

  void run(const std::vector<const float*>& inputs, const std::vector<float*>& outputs) override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m_, n_, k_, 1.0F, inputs[0], k_, inputs[1],
                k_, 0.0F, outputs[0], n_);
  }

 private:
  blasint m_;
  blasint n_;
  blasint k_;
};

/// O = softmax(scale Q K^T) V, LSE = ln of the denominator; a head at a time, some rows of the
/// score matrix at a time so that they stay in the cache.
class AttentionReference final : public HostReference {
 public:
  AttentionReference(const Problem& problem, bool causal)
      : heads_(problem.inputs[0].tensor.shape[0] * problem.inputs[0].tensor.shape[1]),
        tokens_(problem.inputs[0].tensor.shape[2]),
        width_(problem.inputs[0].tensor.shape[3]),
        causal_(causal),
        softmax_(softmax_implementations().front().run),
        rows_(rows_at_once(tokens_, causal)),
        scores_(static_cast<std::size_t>(rows_ * padded_row(tokens_))) {}

  void run(const std::vector<const float*>& inputs, const std::vector<float*>& outputs) override {
    for (std::int64_t head = 0; head < heads_; ++head) {
      const auto tensor = head * tokens_ * width_;
      const Head at{inputs[0] + tensor, inputs[1] + tensor, inputs[2] + tensor, outputs[0] + tensor,
                    outputs[1] + head * tokens_};
      for (std::int64_t first = 0; first < tokens_; first += rows_) {
        attend(at, first, std::min(rows_, tokens_ - first));
      }
    }
  }

 private:
  struct Head {
    const float* q;
    const float* k;
    const float* v;
    float* o;
    float* lse;
  };

  /// A mebibyte of scores: a second-level cache. A causal mask gains from few rows, since the keys
  /// after the last of them are left out.
  static std::int64_t rows_at_once(std::int64_t tokens, bool causal) {
    constexpr std::int64_t kScores = 262144;
    const auto rows = std::max<std::int64_t>(kScores / tokens, 32);
    return std::min(causal ? std::min<std::int64_t>(rows, 64) : rows, tokens);
  }

  void attend(const Head& at, std::int64_t first, std::int64_t rows) {
    const auto keys = causal_ ? first + rows : tokens_;
    const auto stride = padded_row(keys);
    const auto m = static_cast<blasint>(rows);
    const auto n = static_cast<blasint>(keys);
    const auto d = static_cast<blasint>(width_);
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(width_)));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, d, scale, at.q + first * width_, d,
                at.k, d, 0.0F, scores_.data(), static_cast<blasint>(stride));
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto visible = causal_ ? first + row + 1 : keys;
      float* scores = scores_.data() + row * stride;
      at.lse[first + row] = softmax_(scores, visible);
      std::fill(scores + visible, scores + keys, 0.0F);
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, d, n, 1.0F, scores_.data(),
                static_cast<blasint>(stride), at.v, d, 0.0F, at.o + first * width_, d);
  }

  std::int64_t heads_;
  std::int64_t tokens_;
  std::int64_t width_;
  bool causal_;
  SoftmaxRow softmax_;
  std::int64_t rows_;
  std::vector<float> scores_;
};

Status expect_float32(const Problem& problem) {
  const auto check = [&](const Tensor& tensor, const std::string& key) -> Status {
    if (tensor.type == DataType::kFloat32) return {};
    return fail(Error{ErrorKind::kInput,
                      "the host target computes in float32; '" + problem.definition + "' has " +
                          std::string(data_type_name(tensor.type)),
                      "Use a GPU target, or a float32 problem such as gemm_f32_n192_k160.",
                      {},
                      0,
                      0,
                      key + "." + tensor.name + ".dtype"});
  };
  for (const auto& input : problem.inputs) {
    if (auto status = check(input.tensor, "inputs"); !status) return status;
  }
  for (const auto& output : problem.outputs) {
    if (auto status = check(output, "outputs"); !status) return status;
  }
  return {};
}

/// What run() relies on: known to the registry, of the right shapes, float32.
Status check_problem(const Problem& problem) {
  const auto* found = find_operator(problem.op_type);
  if (found != nullptr) {
    if (auto status = found->check(problem); !status) return status;
  }
  return expect_float32(problem);
}

}  // namespace

Result<std::unique_ptr<HostReference>> make_host_reference(const Problem& problem) {
  const bool gemm = problem.op_type == "gemm";
  const bool causal = problem.op_type == "mha_fwd_causal";
  if (const auto status = check_reference("host", problem); !status) return fail(status.error());
  if (const auto status = check_problem(problem); !status) return fail(status.error());
  openblas_set_num_threads(1);
  if (gemm) return std::make_unique<GemmReference>(problem);
  return std::make_unique<AttentionReference>(problem, causal);
}

std::string host_reference_library() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ... MAX_THREADS=64"
  std::istringstream config(openblas_get_config());
  std::string name;
  std::string version;
  config >> name >> version;
  return name + " " + version + " (" + openblas_get_corename() + ")";
}

}  // namespace ptxbatch
