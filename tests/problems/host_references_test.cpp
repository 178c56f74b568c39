// The host references against the definitions of the operators, computed in double precision.
#include "ranks/problems/host_references.h"

#include <cblas.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ranks/problems/comparison.h"
#include "ranks/problems/operators.h"

namespace ptxbatch {
namespace {

constexpr auto kF32 = DataType::kFloat32;

using Values = std::vector<float>;

Problem gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem;
  problem.definition = "gemm";
  problem.op_type = "gemm";
  problem.inputs = {{{"A", kF32, {m, k}}, false, 0}, {{"B", kF32, {n, k}}, false, 0}};
  problem.outputs = {{"C", kF32, {m, n}}};
  return problem;
}

Problem attention(std::int64_t b, std::int64_t h, std::int64_t s, std::int64_t d, bool causal) {
  Problem problem;
  problem.definition = "mha";
  problem.op_type = causal ? "mha_fwd_causal" : "mha_fwd";
  for (const auto* name : {"Q", "K", "V"}) {
    problem.inputs.push_back({{name, kF32, {b, h, s, d}}, false, 0});
  }
  problem.outputs = {{"O", kF32, {b, h, s, d}}, {"LSE", kF32, {b, h, s}}};
  return problem;
}

std::vector<Values> random_inputs(const Problem& problem, int trial = 0) {
  std::vector<Values> inputs;
  for (const auto& input : problem.inputs) {
    inputs.emplace_back(static_cast<std::size_t>(input.tensor.elements()));
    generate_normal(input_seed(42, "test", trial, inputs.size()), 0, inputs.back());
  }
  return inputs;
}

std::vector<Values> poisoned_outputs(const Problem& problem) {
  std::vector<Values> outputs;
  for (const auto& output : problem.outputs) {
    outputs.emplace_back(static_cast<std::size_t>(output.elements()));
    fill_with_poison(output, outputs.back().data());
  }
  return outputs;
}

std::vector<Values> run(HostReference& reference, const Problem& problem,
                        const std::vector<Values>& inputs) {
  auto outputs = poisoned_outputs(problem);
  std::vector<const float*> input_pointers;
  std::vector<float*> output_pointers;
  for (const auto& input : inputs) input_pointers.push_back(input.data());
  for (auto& output : outputs) output_pointers.push_back(output.data());
  reference.run(input_pointers, output_pointers);
  return outputs;
}

std::vector<Values> gemm_in_double(const Problem& problem, const std::vector<Values>& inputs) {
  const auto m = problem.outputs[0].shape[0];
  const auto n = problem.outputs[0].shape[1];
  const auto k = problem.inputs[0].tensor.shape[1];
  Values c;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        sum += static_cast<double>(inputs[0][i * k + l]) * inputs[1][j * k + l];
      }
      c.push_back(static_cast<float>(sum));
    }
  }
  return {c};
}

struct Row {
  const float* q;
  const float* k;
  const float* v;
  std::int64_t keys;
  std::int64_t width;
};

/// One query: appends its row of O and its LSE.
void attend_in_double(const Row& row, std::vector<Values>& outputs) {
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t j = 0; j < row.keys; ++j) {
    double score = 0;
    for (std::int64_t c = 0; c < row.width; ++c) {
      score += static_cast<double>(row.q[c]) * row.k[j * row.width + c];
    }
    weights.push_back(std::exp(score / std::sqrt(static_cast<double>(row.width))));
    sum += weights.back();
  }
  for (std::int64_t c = 0; c < row.width; ++c) {
    double value = 0;
    for (std::int64_t j = 0; j < row.keys; ++j) value += weights[j] * row.v[j * row.width + c];
    outputs[0].push_back(static_cast<float>(value / sum));
  }
  outputs[1].push_back(static_cast<float>(std::log(sum)));
}

std::vector<Values> attention_in_double(const Problem& problem, const std::vector<Values>& inputs) {
  const auto& shape = problem.inputs[0].tensor.shape;
  const auto tokens = shape[2];
  const auto width = shape[3];
  const bool causal = problem.op_type == "mha_fwd_causal";
  std::vector<Values> outputs(2);
  for (std::int64_t head = 0; head < shape[0] * shape[1]; ++head) {
    const auto start = head * tokens * width;
    for (std::int64_t i = 0; i < tokens; ++i) {
      attend_in_double({inputs[0].data() + start + i * width, inputs[1].data() + start,
                        inputs[2].data() + start, causal ? i + 1 : tokens, width},
                       outputs);
    }
  }
  return outputs;
}

/// What float32 arithmetic over some hundred terms leaves: a hundredth of the paper's tolerance.
void expect_close(const Problem& problem, const std::vector<Values>& actual,
                  const std::vector<Values>& expected) {
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const auto error =
        compare_output(problem.outputs[i], actual[i].data(), expected[i].data(), {1e-4, 0});
    EXPECT_TRUE(is_right(error)) << problem.outputs[i].name << ": largest error " << error.max_abs
                                 << ", never written " << error.never_written;
  }
}

std::unique_ptr<HostReference> reference_for(const Problem& problem) {
  auto reference = make_host_reference(problem);
  EXPECT_TRUE(reference.has_value()) << describe(reference.error());
  return std::move(*reference);
}

TEST(GemmReference, AgreesWithDoublePrecision) {
  for (const auto& problem : {gemm(136, 192, 160), gemm(1, 1, 1), gemm(3, 50, 7)}) {
    const auto inputs = random_inputs(problem);
    expect_close(problem, run(*reference_for(problem), problem, inputs),
                 gemm_in_double(problem, inputs));
  }
}

// Lengths around a vector, several blocks of rows (more than 512 tokens, or 64 when causal), more
// than one sequence and head.
TEST(AttentionReference, AgreesWithDoublePrecision) {
  for (const bool causal : {false, true}) {
    for (const auto& problem : {attention(1, 2, 136, 64, causal), attention(1, 1, 1, 64, causal),
                                attention(2, 3, 17, 16, causal), attention(1, 1, 65, 8, causal),
                                attention(1, 1, 600, 16, causal)}) {
      SCOPED_TRACE(problem.op_type + " S=" + std::to_string(problem.inputs[0].tensor.shape[2]));
      const auto inputs = random_inputs(problem);
      expect_close(problem, run(*reference_for(problem), problem, inputs),
                   attention_in_double(problem, inputs));
    }
  }
}

TEST(AttentionReference, KeepsNothingFromOneCallToTheNext) {
  const auto problem = attention(1, 2, 70, 16, true);
  const auto reference = reference_for(problem);
  const auto first = run(*reference, problem, random_inputs(problem, 0));
  const auto second = run(*reference, problem, random_inputs(problem, 1));
  EXPECT_NE(first, second);
  EXPECT_EQ(run(*reference, problem, random_inputs(problem, 0)), first);
}

TEST(HostReference, ComputesOnOneThread) {
  openblas_set_num_threads(2);
  (void)reference_for(gemm(2, 2, 2));
  EXPECT_EQ(openblas_get_num_threads(), 1);
}

TEST(HostReference, RefusesWhatIsNotFloat32) {
  auto problem = gemm(2, 2, 2);
  for (auto& input : problem.inputs) input.tensor.type = DataType::kBFloat16;
  problem.outputs[0].type = DataType::kBFloat16;
  const auto reference = make_host_reference(problem);
  ASSERT_FALSE(reference.has_value());
  EXPECT_EQ(reference.error().kind, ErrorKind::kInput);
  EXPECT_EQ(reference.error().key, "inputs.A.dtype");
  EXPECT_THAT(reference.error().what, testing::HasSubstr("bfloat16"));
}

TEST(HostReference, RefusesOperatorsThatItDoesNotHave) {
  auto problem = gemm(2, 2, 2);
  problem.op_type = "mha_bwd";
  const auto reference = make_host_reference(problem);
  ASSERT_FALSE(reference.has_value());
  EXPECT_EQ(reference.error().key, "op_type");
  EXPECT_THAT(reference.error().hint, testing::HasSubstr("gemm, mha_fwd, mha_fwd_causal"));
}

TEST(HostReference, RefusesShapesThatDoNotFit) {
  auto problem = gemm(2, 2, 2);
  problem.outputs[0].shape = {2, 3};
  const auto reference = make_host_reference(problem);
  ASSERT_FALSE(reference.has_value());
  EXPECT_EQ(reference.error().key, "outputs.C.shape");
}

TEST(HostReference, NamesItsLibrary) {
  EXPECT_THAT(host_reference_library(), testing::MatchesRegex("OpenBLAS [0-9.]+ \\(.+\\)"));
}

}  // namespace
}  // namespace ptxbatch
