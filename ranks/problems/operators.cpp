#include "ranks/problems/operators.h"

#include <array>
#include <charconv>

#include "common/hash.h"

namespace ptxbatch {
namespace {

using Shape = std::vector<std::int64_t>;

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const auto size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

Error mismatch(std::string key, std::string what, std::string hint = {}) {
  return {ErrorKind::kInput, std::move(what), std::move(hint), {}, 0, 0, std::move(key)};
}

bool is_float(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kFloat16 || type == DataType::kBFloat16;
}

/// The tensors of a problem held against an operator's signature, the first mismatch kept.
class Signature {
 public:
  Signature(const Problem& problem, std::string text)
      : problem_(problem), text_(op_type_text(problem) + std::move(text)) {}

  /// Everything else assumes that the numbers of inputs and outputs are right.
  [[nodiscard]] bool expect_counts(std::size_t inputs, std::size_t outputs) {
    if (problem_.inputs.size() != inputs) {
      reject("inputs", counted(inputs, "input", problem_.inputs.size()));
    } else if (problem_.outputs.size() != outputs) {
      reject("outputs", counted(outputs, "output", problem_.outputs.size()));
    }
    return status_.has_value();
  }
  [[nodiscard]] bool expect_rank(const Tensor& tensor, const std::string& key, std::size_t rank) {
    if (tensor.shape.size() != rank) {
      reject(key + ".shape", "expected " + std::to_string(rank) + " axes, found " +
                                 std::to_string(tensor.shape.size()));
    }
    return status_.has_value();
  }
  void expect(const Tensor& tensor, const std::string& key, DataType type, const Shape& shape) {
    if (tensor.shape != shape) {
      reject(key + ".shape",
             "expected sizes " + shape_text(shape) + ", found " + shape_text(tensor.shape));
    }
    if (!is_float(type)) {
      reject(key + ".dtype",
             "expected a floating-point type, found " + std::string(data_type_name(type)));
    }
    if (tensor.type != type) {
      reject(key + ".dtype", "expected " + std::string(data_type_name(type)) + ", found " +
                                 std::string(data_type_name(tensor.type)));
    }
  }
  void expect_input(std::size_t index, DataType type, const Shape& shape) {
    const auto& input = problem_.inputs[index];
    const auto key = "inputs." + input.tensor.name;
    if (input.is_scalar) reject(key + ".shape", "expected a tensor, found a scalar");
    expect(input.tensor, key, type, shape);
  }
  void expect_output(std::size_t index, DataType type, const Shape& shape) {
    const auto& output = problem_.outputs[index];
    expect(output, "outputs." + output.name, type, shape);
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  static std::string op_type_text(const Problem& problem) {
    return "An operator of type " + problem.op_type + " computes ";
  }
  static std::string counted(std::size_t expected, const std::string& noun, std::size_t found) {
    return "expected " + std::to_string(expected) + " " + noun + (expected == 1 ? "" : "s") +
           ", found " + std::to_string(found);
  }
  void reject(const std::string& key, const std::string& what) {
    if (status_) status_ = fail(mismatch(key, what, text_));
  }

  const Problem& problem_;
  std::string text_;
  Status status_;
};

class Gemm final : public Operator {
 public:
  [[nodiscard]] std::string_view op_type() const override { return "gemm"; }

  [[nodiscard]] double flops(const Problem& problem) const override {
    const auto& a = problem.inputs[0].tensor.shape;
    const auto n = problem.inputs[1].tensor.shape[0];
    return 2.0 * static_cast<double>(a[0]) * static_cast<double>(n) * static_cast<double>(a[1]);
  }
  [[nodiscard]] std::int64_t independent_parts(const Problem& problem) const override {
    return problem.inputs[0].tensor.shape[0];
  }
  [[nodiscard]] bool is_divided_input(std::size_t index) const override { return index == 0; }

  [[nodiscard]] Status check(const Problem& problem) const override {
    Signature signature(problem, "A[M,K], B[N,K] -> C[M,N], C = A B^T, all of one type.");
    if (!signature.expect_counts(2, 1)) return signature.status();
    const auto& a = problem.inputs[0].tensor;
    const auto& b = problem.inputs[1].tensor;
    if (!signature.expect_rank(a, "inputs." + a.name, 2) ||
        !signature.expect_rank(b, "inputs." + b.name, 2)) {
      return signature.status();
    }
    signature.expect_input(0, a.type, a.shape);
    signature.expect_input(1, a.type, {b.shape[0], a.shape[1]});
    signature.expect_output(0, a.type, {a.shape[0], b.shape[0]});
    return signature.status();
  }
};

/// What forward and backward share: [B,H,S,D] tensors in the order Q, K, V and a mask or none.
class Attention : public Operator {
 public:
  explicit Attention(bool causal) : causal_(causal) {}
  [[nodiscard]] std::int64_t independent_parts(const Problem& problem) const override {
    const auto& q = problem.inputs[0].tensor.shape;
    return q[0] * q[1];
  }

 protected:
  /// `factor` S^2 B H D, half of it with a causal mask.
  [[nodiscard]] double scaled_flops(const Problem& problem, double factor) const {
    const auto& q = problem.inputs[0].tensor.shape;
    const auto tokens = static_cast<double>(q[2]);
    const auto width =
        static_cast<double>(q[0]) * static_cast<double>(q[1]) * static_cast<double>(q[3]);
    return factor * tokens * tokens * width * (causal_ ? 0.5 : 1.0);
  }
  [[nodiscard]] bool causal() const { return causal_; }

 private:
  bool causal_;
};

class AttentionForward final : public Attention {
 public:
  using Attention::Attention;
  [[nodiscard]] std::string_view op_type() const override {
    return causal() ? "mha_fwd_causal" : "mha_fwd";
  }
  [[nodiscard]] double flops(const Problem& problem) const override {
    return scaled_flops(problem, 4.0);
  }
  [[nodiscard]] Status check(const Problem& problem) const override {
    Signature signature(
        problem, "Q,K,V [B,H,S,D] -> O [B,H,S,D], all of one type, and LSE [B,H,S] float32.");
    if (!signature.expect_counts(3, 2)) return signature.status();
    const auto& q = problem.inputs[0].tensor;
    if (!signature.expect_rank(q, "inputs." + q.name, 4)) return signature.status();
    for (std::size_t i = 0; i < 3; ++i) signature.expect_input(i, q.type, q.shape);
    signature.expect_output(0, q.type, q.shape);
    signature.expect_output(1, DataType::kFloat32, {q.shape[0], q.shape[1], q.shape[2]});
    return signature.status();
  }
};

class AttentionBackward final : public Attention {
 public:
  using Attention::Attention;
  [[nodiscard]] std::string_view op_type() const override {
    return causal() ? "mha_bwd_causal" : "mha_bwd";
  }
  [[nodiscard]] int default_trials() const override { return 1; }
  [[nodiscard]] double flops(const Problem& problem) const override {
    return scaled_flops(problem, 10.0);
  }
  /// O and L are what the reference forward pass makes of Q, K and V.
  [[nodiscard]] bool is_random_input(std::size_t index) const override {
    return index != kOutputOfForward && index != kLogSumExp;
  }
  [[nodiscard]] Status check(const Problem& problem) const override {
    Signature signature(problem,
                        "Q,K,V,O,dO [B,H,S,D], all of one type, and L [B,H,S] float32 -> dQ,dK,dV "
                        "[B,H,S,D] of that type.");
    if (!signature.expect_counts(6, 3)) return signature.status();
    const auto& q = problem.inputs[0].tensor;
    if (!signature.expect_rank(q, "inputs." + q.name, 4)) return signature.status();
    for (std::size_t i = 0; i < kLogSumExp; ++i) signature.expect_input(i, q.type, q.shape);
    signature.expect_input(kLogSumExp, DataType::kFloat32, {q.shape[0], q.shape[1], q.shape[2]});
    for (std::size_t i = 0; i < 3; ++i) signature.expect_output(i, q.type, q.shape);
    return signature.status();
  }

 private:
  static constexpr std::size_t kOutputOfForward = 3;
  static constexpr std::size_t kLogSumExp = 5;
};

const std::array<const Operator*, 5>& registry() {
  static const Gemm gemm;
  static const AttentionForward forward(false);
  static const AttentionForward forward_causal(true);
  static const AttentionBackward backward(false);
  static const AttentionBackward backward_causal(true);
  static const std::array<const Operator*, 5> all = {&gemm, &forward, &forward_causal, &backward,
                                                     &backward_causal};
  return all;
}

}  // namespace

const Operator* find_operator(std::string_view op_type) {
  for (const auto* each : registry()) {
    if (each->op_type() == op_type) return each;
  }
  return nullptr;
}

std::vector<std::string> known_op_types() {
  std::vector<std::string> names;
  for (const auto* each : registry()) names.emplace_back(each->op_type());
  return names;
}

std::uint64_t input_seed(std::uint64_t experiment_seed, std::string_view workload, int trial,
                         std::size_t input_index) {
  const auto digest = sha256_hex("ptxbatch input\n" + std::to_string(experiment_seed) + "\n" +
                                 std::string(workload) + "\n" + std::to_string(trial) + "\n" +
                                 std::to_string(input_index));
  std::uint64_t seed = 0;
  std::from_chars(digest.data(), digest.data() + 16, seed, 16);
  return seed;
}

}  // namespace ptxbatch
