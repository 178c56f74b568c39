// The registry: what each operator accepts, which inputs are drawn, and how seeds are derived.
#include "ranks/problems/operators.h"

#include <gmock/gmock.h>

#include <set>

namespace ptxbatch {
namespace {

using testing::HasSubstr;

constexpr auto kBf16 = DataType::kBFloat16;
constexpr auto kF32 = DataType::kFloat32;

Problem problem_of(std::string op_type, std::vector<Tensor> inputs, std::vector<Tensor> outputs) {
  Problem problem;
  problem.op_type = std::move(op_type);
  for (auto& input : inputs) problem.inputs.push_back({std::move(input), false, 0});
  problem.outputs = std::move(outputs);
  return problem;
}

Problem gemm() {
  return problem_of("gemm", {{"A", kBf16, {2, 4}}, {"B", kBf16, {3, 4}}}, {{"C", kBf16, {2, 3}}});
}

Problem forward() {
  return problem_of(
      "mha_fwd",
      {{"Q", kBf16, {1, 2, 5, 8}}, {"K", kBf16, {1, 2, 5, 8}}, {"V", kBf16, {1, 2, 5, 8}}},
      {{"O", kBf16, {1, 2, 5, 8}}, {"LSE", kF32, {1, 2, 5}}});
}

Problem backward() {
  const auto heads = [](const char* name) { return Tensor{name, kBf16, {1, 2, 5, 8}}; };
  return problem_of(
      "mha_bwd",
      {heads("Q"), heads("K"), heads("V"), heads("O"), heads("dO"), {"L", kF32, {1, 2, 5}}},
      {heads("dQ"), heads("dK"), heads("dV")});
}

Error check_error(const Problem& problem) {
  const auto status = find_operator(problem.op_type)->check(problem);
  EXPECT_FALSE(status.has_value());
  return status ? Error{} : status.error();
}

TEST(IndependentParts, RowsOfAProductAndHeadsOfAttention) {
  const auto& product = *find_operator("gemm");
  EXPECT_EQ(product.independent_parts(gemm()), 2);
  EXPECT_TRUE(product.is_divided_input(0));
  EXPECT_FALSE(product.is_divided_input(1)) << "every row of C needs all of B";
  const auto& attention = *find_operator("mha_bwd");
  EXPECT_EQ(attention.independent_parts(backward()), 2);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(attention.is_divided_input(i));
}

TEST(OperatorRegistry, KnowsTheFiveOperators) {
  EXPECT_THAT(known_op_types(), testing::ElementsAre("gemm", "mha_fwd", "mha_fwd_causal", "mha_bwd",
                                                     "mha_bwd_causal"));
  for (const auto& op_type : known_op_types()) {
    ASSERT_NE(find_operator(op_type), nullptr);
    EXPECT_EQ(find_operator(op_type)->op_type(), op_type);
  }
  EXPECT_EQ(find_operator("convolution"), nullptr);
}

TEST(Operators, AcceptTheirOwnSignature) {
  for (auto problem : {gemm(), forward(), backward()}) {
    EXPECT_TRUE(find_operator(problem.op_type)->check(problem).has_value()) << problem.op_type;
  }
}

TEST(Operators, CountFlopsByThePapersFormulas) {
  EXPECT_EQ(find_operator("gemm")->flops(gemm()), 2.0 * 2 * 3 * 4);
  EXPECT_EQ(find_operator("mha_fwd")->flops(forward()), 4.0 * 25 * 1 * 2 * 8);
  EXPECT_EQ(find_operator("mha_fwd_causal")->flops(forward()), 2.0 * 25 * 1 * 2 * 8);
  EXPECT_EQ(find_operator("mha_bwd")->flops(backward()), 10.0 * 25 * 1 * 2 * 8);
  EXPECT_EQ(find_operator("mha_bwd_causal")->flops(backward()), 5.0 * 25 * 1 * 2 * 8);
}

TEST(Operators, DrawAllInputsButThoseOfAForwardPass) {
  for (const auto* op_type : {"gemm", "mha_fwd", "mha_fwd_causal"}) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(find_operator(op_type)->is_random_input(i));
  }
  const auto problem = backward();
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const auto& name = problem.inputs[i].tensor.name;
    EXPECT_EQ(find_operator("mha_bwd")->is_random_input(i), name != "O" && name != "L") << name;
  }
}

TEST(Operators, RefuseAWrongNumberOfTensors) {
  auto problem = gemm();
  problem.inputs.pop_back();
  auto error = check_error(problem);
  EXPECT_EQ(error.kind, ErrorKind::kInput);
  EXPECT_EQ(error.key, "inputs");
  EXPECT_EQ(error.what, "expected 2 inputs, found 1");

  problem = forward();
  problem.outputs.pop_back();
  error = check_error(problem);
  EXPECT_EQ(error.key, "outputs");
  EXPECT_EQ(error.what, "expected 2 outputs, found 1");
  EXPECT_THAT(error.hint, HasSubstr("LSE [B,H,S] float32"));
}

TEST(Operators, RefuseAWrongRank) {
  auto problem = gemm();
  problem.inputs[1].tensor.shape = {3, 4, 1};
  EXPECT_EQ(check_error(problem).key, "inputs.B.shape");
  problem = forward();
  problem.inputs[0].tensor.shape = {5, 8};
  EXPECT_EQ(check_error(problem).what, "expected 4 axes, found 2");
}

TEST(Operators, RefuseShapesThatDoNotFit) {
  auto problem = gemm();
  problem.outputs[0].shape = {3, 2};
  EXPECT_EQ(check_error(problem).key, "outputs.C.shape");
  problem = forward();
  problem.outputs[1].shape = {1, 2, 8};
  EXPECT_EQ(check_error(problem).what, "expected sizes [1, 2, 5], found [1, 2, 8]");
  problem = backward();
  problem.inputs[4].tensor.shape = {1, 2, 6, 8};
  EXPECT_EQ(check_error(problem).key, "inputs.dO.shape");
}

TEST(Operators, RefuseMixedTypes) {
  auto problem = gemm();
  problem.inputs[1].tensor.type = kF32;
  EXPECT_EQ(check_error(problem).key, "inputs.B.dtype");
  EXPECT_EQ(check_error(problem).what, "expected bfloat16, found float32");
  problem = forward();
  problem.outputs[1].type = kBf16;
  EXPECT_EQ(check_error(problem).key, "outputs.LSE.dtype");
}

TEST(Operators, RefuseIntegers) {
  auto problem = gemm();
  for (auto& input : problem.inputs) input.tensor.type = DataType::kInt32;
  problem.outputs[0].type = DataType::kInt32;
  EXPECT_EQ(check_error(problem).key, "inputs.A.dtype");
}

TEST(Operators, RefuseAScalarForATensor) {
  auto problem = backward();
  problem.inputs[5].is_scalar = true;
  EXPECT_EQ(check_error(problem).key, "inputs.L.shape");
}

TEST(InputSeed, IsTheDocumentedHash) {
  // printf 'ptxbatch input\n42\nW\n1\n0' | sha256sum | head -c 16
  EXPECT_EQ(input_seed(42, "W", 1, 0), 0x76a3e41deebce40eULL);
}

TEST(InputSeed, DiffersByEachOfItsParts) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t experiment : {0U, 1U}) {
    for (const auto* workload : {"1", "11"}) {
      for (const int trial : {0, 1, 11}) {
        for (const std::size_t input : {0U, 1U, 11U}) {
          seeds.insert(input_seed(experiment, workload, trial, input));
        }
      }
    }
  }
  EXPECT_EQ(seeds.size(), 36U);
}

}  // namespace
}  // namespace ptxbatch
