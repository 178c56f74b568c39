// The references and the keeper's own kernels, each once against a computation in double precision
// on the CPU, on small shapes.
#include <cmath>
#include <cstring>

#include "ranks/problems/number_formats.h"
#include "ranks/problems/operators.h"
#include "ranks/profile/cuda/checked_call.h"
#include "ranks/profile/cuda/device_memory.h"
#include "ranks/profile/cuda/gpu_context.h"
#include "ranks/profile/cuda/kernels.h"
#include "ranks/profile/cuda/references.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

using Values = std::vector<double>;

class ReferencesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_is_there()) GTEST_SKIP() << "there is no NVIDIA GPU on this machine";
    gpu_ = std::make_unique<GpuContext>(0);
  }
  std::unique_ptr<GpuContext> gpu_;
};

Values download(const DeviceBuffer& buffer, const Tensor& tensor) {
  std::vector<std::uint8_t> bytes(tensor.bytes());
  PTXBATCH_CALL(cuMemcpyDtoH(bytes.data(), buffer.address(), bytes.size()));
  Values values(static_cast<std::size_t>(tensor.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (tensor.type == DataType::kFloat32) {
      float value = 0;
      std::memcpy(&value, &bytes[i * 4], 4);
      values[i] = value;
    } else {
      std::uint16_t bits = 0;
      std::memcpy(&bits, &bytes[i * 2], 2);
      values[i] = bfloat16_to_float(bits);
    }
  }
  return values;
}

/// A problem with random inputs on the device, and what the reference makes of them.
struct Computed {
  std::vector<Values> inputs;
  std::vector<Values> outputs;
};

Computed compute(const Problem& problem) {
  auto reference = make_cuda_reference(problem);
  if (!reference) throw std::runtime_error(reference.error().what);
  std::vector<DeviceBuffer> inputs;
  std::vector<DeviceBuffer> outputs;
  std::vector<CUdeviceptr> input_addresses;
  std::vector<CUdeviceptr> output_addresses;
  const Operator& kind = *find_operator(problem.op_type);
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const Tensor& tensor = problem.inputs[i].tensor;
    input_addresses.push_back(inputs.emplace_back(tensor.bytes()).address());
    if (kind.is_random_input(i)) {
      launch_generate_normal(input_addresses.back(), tensor.type, tensor.elements(), 7 + i,
                             nullptr);
    }
  }
  for (const Tensor& tensor : problem.outputs) {
    output_addresses.push_back(outputs.emplace_back(tensor.bytes()).address());
  }
  (*reference)->derive_inputs(input_addresses, nullptr);
  (*reference)->run(input_addresses, output_addresses, nullptr);
  PTXBATCH_CALL(cuCtxSynchronize());
  Computed computed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    computed.inputs.push_back(download(inputs[i], problem.inputs[i].tensor));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    computed.outputs.push_back(download(outputs[i], problem.outputs[i]));
  }
  std::printf("%s\n", (*reference)->description().c_str());
  return computed;
}

double rms_relative_error(const Values& actual, const Values& expected) {
  double error = 0;
  double scale = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    scale += expected[i] * expected[i];
  }
  return std::sqrt(error / scale);
}

struct Shape {
  std::size_t heads, tokens, width;
  bool causal;
};

/// Softmax of one head's scaled scores and the log-sum-exp of each row.
struct Softmax {
  Values p;
  Values lse;
};

Softmax softmax_of(const double* q, const double* k, const Shape& shape) {
  const std::size_t tokens = shape.tokens;
  Softmax result{Values(tokens * tokens), Values(tokens)};
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::size_t last = shape.causal ? i + 1 : tokens;
    double largest = -INFINITY;
    for (std::size_t j = 0; j < last; ++j) {
      double score = 0;
      for (std::size_t d = 0; d < shape.width; ++d) {
        score += q[i * shape.width + d] * k[j * shape.width + d];
      }
      score /= std::sqrt(static_cast<double>(shape.width));
      result.p[i * tokens + j] = score;
      largest = std::max(largest, score);
    }
    double sum = 0;
    for (std::size_t j = 0; j < last; ++j) {
      sum += result.p[i * tokens + j] = std::exp(result.p[i * tokens + j] - largest);
    }
    for (std::size_t j = 0; j < last; ++j) result.p[i * tokens + j] /= sum;
    result.lse[i] = largest + std::log(sum);
  }
  return result;
}

TEST_F(ReferencesTest, GeneratedInputsAreThoseOfTheHost) {
  for (const DataType type : {DataType::kFloat32, DataType::kBFloat16}) {
    const Tensor tensor{"x", type, {1003}};
    const DeviceBuffer buffer(tensor.bytes());
    launch_generate_normal(buffer.address(), type, tensor.elements(), 0x123456789abcdefULL,
                           nullptr);
    const Values made = download(buffer, tensor);
    std::vector<float> expected(made.size());
    generate_normal(0x123456789abcdefULL, 0, expected);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const float value = type == DataType::kFloat32
                              ? expected[i]
                              : bfloat16_to_float(float_to_bfloat16(expected[i]));
      EXPECT_NEAR(made[i], value, std::fabs(value) * 1e-6) << "element " << i;
    }
  }
}

TEST_F(ReferencesTest, TheComparisonIsThatOfTheHost) {
  const Tensor tensor{"x", DataType::kBFloat16, {70001}};
  std::vector<std::uint16_t> expected(70001);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = float_to_bfloat16(std::sin(static_cast<float>(i)));
  }
  auto actual = expected;
  actual[4711] = float_to_bfloat16(3.5F);
  actual[5000] = 0x7fc0;  // a NaN
  actual[6000] = static_cast<std::uint16_t>(poison_bits(DataType::kBFloat16));
  actual[69999] = float_to_bfloat16(bfloat16_to_float(expected[69999]) + 0.005F);
  const DeviceBuffer x(tensor.bytes());
  const DeviceBuffer y(tensor.bytes());
  const DeviceBuffer partial(kComparisonBlocks * sizeof(DeviceComparison));
  const DeviceBuffer result(sizeof(DeviceComparison));
  PTXBATCH_CALL(cuMemcpyHtoD(x.address(), actual.data(), tensor.bytes()));
  PTXBATCH_CALL(cuMemcpyHtoD(y.address(), expected.data(), tensor.bytes()));
  launch_compare(x.address(), y.address(), tensor.type, tensor.elements(), 0, {},
                 reinterpret_cast<DeviceComparison*>(partial.address()),
                 reinterpret_cast<DeviceComparison*>(result.address()), nullptr);
  DeviceComparison compared{};
  PTXBATCH_CALL(cuMemcpyDtoH(&compared, result.address(), sizeof compared));
  const OutputError host = compare_output(tensor, actual.data(), expected.data(), {});
  EXPECT_EQ(static_cast<std::int64_t>(compared.wrong), host.wrong);
  EXPECT_EQ(static_cast<std::int64_t>(compared.not_finite), host.not_finite);
  EXPECT_EQ(static_cast<std::int64_t>(compared.never_written), host.never_written);
  EXPECT_EQ(static_cast<std::int64_t>(compared.first_wrong), host.first_wrong);
  EXPECT_DOUBLE_EQ(compared.max_abs, host.max_abs);
  EXPECT_DOUBLE_EQ(compared.max_rel, host.max_rel);
}

TEST_F(ReferencesTest, ARotatedTensorIsComparedElementForElement) {
  for (const std::int64_t elements : {4096, 4099}) {
    const Tensor tensor{"x", DataType::kBFloat16, {elements}};
    const std::int64_t shift = 1024;
    std::vector<std::uint16_t> expected(static_cast<std::size_t>(elements));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = float_to_bfloat16(std::sin(static_cast<float>(i)));
    }
    auto actual = expected;
    std::rotate(actual.begin(), actual.begin() + shift, actual.end());
    actual[17] = float_to_bfloat16(100);
    const DeviceBuffer x(tensor.bytes());
    const DeviceBuffer y(tensor.bytes());
    const DeviceBuffer partial(kComparisonBlocks * sizeof(DeviceComparison));
    const DeviceBuffer result(sizeof(DeviceComparison));
    PTXBATCH_CALL(cuMemcpyHtoD(x.address(), actual.data(), tensor.bytes()));
    PTXBATCH_CALL(cuMemcpyHtoD(y.address(), expected.data(), tensor.bytes()));
    launch_compare(x.address(), y.address(), tensor.type, elements, shift, {},
                   reinterpret_cast<DeviceComparison*>(partial.address()),
                   reinterpret_cast<DeviceComparison*>(result.address()), nullptr);
    DeviceComparison compared{};
    PTXBATCH_CALL(cuMemcpyDtoH(&compared, result.address(), sizeof compared));
    EXPECT_EQ(compared.wrong, 1U) << elements;
    EXPECT_EQ(compared.first_wrong, 17U) << elements;
  }
}

TEST_F(ReferencesTest, GemmAgreesWithDoublePrecision) {
  const std::size_t m = 192;
  const std::size_t n = 128;
  const std::size_t k = 320;
  const Computed computed = compute(bf16_gemm(m, n, k));
  Values expected(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) {
        expected[i * n + j] += computed.inputs[0][i * k + l] * computed.inputs[1][j * k + l];
      }
    }
  }
  EXPECT_LT(rms_relative_error(computed.outputs[0], expected), 3e-3);
}

class AttentionReference : public ReferencesTest,
                           public ::testing::WithParamInterface<std::tuple<int, bool>> {
 protected:
  [[nodiscard]] Shape shape() const {
    return {2, 256, static_cast<std::size_t>(std::get<0>(GetParam())), std::get<1>(GetParam())};
  }
  [[nodiscard]] Problem problem(const std::string& direction) const {
    return bf16_attention("mha_" + direction + (shape().causal ? "_causal" : ""), 1, 2, 256,
                          std::get<0>(GetParam()));
  }
};

TEST_P(AttentionReference, ForwardAgreesWithDoublePrecision) {
  const Shape s = shape();
  const Computed computed = compute(problem("fwd"));
  Values o(computed.outputs[0].size());
  Values lse(computed.outputs[1].size());
  for (std::size_t head = 0; head < s.heads; ++head) {
    const std::size_t at = head * s.tokens * s.width;
    const Softmax softmax = softmax_of(&computed.inputs[0][at], &computed.inputs[1][at], s);
    std::copy(softmax.lse.begin(), softmax.lse.end(), lse.begin() + head * s.tokens);
    for (std::size_t i = 0; i < s.tokens; ++i) {
      for (std::size_t j = 0; j < s.tokens; ++j) {
        const double p = softmax.p[i * s.tokens + j];
        for (std::size_t d = 0; d < s.width; ++d) {
          o[at + i * s.width + d] += p * computed.inputs[2][at + j * s.width + d];
        }
      }
    }
  }
  EXPECT_LT(rms_relative_error(computed.outputs[0], o), 1e-2);
  EXPECT_LT(rms_relative_error(computed.outputs[1], lse), 1e-4);
}

TEST_P(AttentionReference, BackwardAgreesWithDoublePrecision) {
  const Shape s = shape();
  if (s.width > 128) GTEST_SKIP() << "no problem has a backward pass of this head size";
  const Computed computed = compute(problem("bwd"));
  std::vector<Values> expected(3, Values(computed.outputs[0].size()));
  const double scale = 1 / std::sqrt(static_cast<double>(s.width));
  for (std::size_t head = 0; head < s.heads; ++head) {
    const std::size_t at = head * s.tokens * s.width;
    const double* q = &computed.inputs[0][at];
    const double* k = &computed.inputs[1][at];
    const double* v = &computed.inputs[2][at];
    const double* grad = &computed.inputs[4][at];
    const Softmax softmax = softmax_of(q, k, s);
    for (std::size_t i = 0; i < s.tokens; ++i) {
      Values dp(s.tokens);
      double delta = 0;
      for (std::size_t j = 0; j < s.tokens; ++j) {
        for (std::size_t d = 0; d < s.width; ++d)
          dp[j] += grad[i * s.width + d] * v[j * s.width + d];
        delta += softmax.p[i * s.tokens + j] * dp[j];
      }
      for (std::size_t j = 0; j < s.tokens; ++j) {
        const double p = softmax.p[i * s.tokens + j];
        const double ds = p * (dp[j] - delta) * scale;
        for (std::size_t d = 0; d < s.width; ++d) {
          expected[0][at + i * s.width + d] += ds * k[j * s.width + d];
          expected[1][at + j * s.width + d] += ds * q[i * s.width + d];
          expected[2][at + j * s.width + d] += p * grad[i * s.width + d];
        }
      }
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(rms_relative_error(computed.outputs[i], expected[i]), 1.5e-2) << "gradient " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(HeadSizes, AttentionReference,
                         ::testing::Combine(::testing::Values(64, 96, 128, 256), ::testing::Bool()),
                         [](const auto& test) {
                           return "d" + std::to_string(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) ? "_causal" : "");
                         });

}  // namespace
}  // namespace ptxbatch
