// What each target can judge, and how it says that it cannot.
#include "ranks/problems/reference_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using testing::HasSubstr;

Problem problem_of(const std::string& op_type, DataType type) {
  Problem problem;
  problem.definition = "some_problem";
  problem.op_type = op_type;
  Argument input;
  input.tensor.name = "A";
  input.tensor.type = type;
  problem.inputs = {input};
  return problem;
}

TEST(ReferenceSupport, GpusComputeThePapersOperatorsInBfloat16) {
  for (const char* op_type : {"gemm", "mha_fwd", "mha_fwd_causal", "mha_bwd", "mha_bwd_causal"}) {
    for (const char* target : {"hopper", "blackwell"}) {
      EXPECT_TRUE(check_reference(target, problem_of(op_type, DataType::kBFloat16)));
    }
  }
}

TEST(ReferenceSupport, TheHostHasNoBackwardPass) {
  EXPECT_TRUE(check_reference("host", problem_of("mha_fwd", DataType::kFloat32)));
  const auto backward = check_reference("host", problem_of("mha_bwd", DataType::kFloat32));
  ASSERT_FALSE(backward);
  EXPECT_THAT(backward.error().what, HasSubstr("'host' has no reference for op_type 'mha_bwd'"));
  EXPECT_THAT(backward.error().hint, HasSubstr("gemm, mha_fwd, mha_fwd_causal"));
}

TEST(ReferenceSupport, ATypeThatTheReferencesDoNotHaveIsNamed) {
  const auto single = check_reference("hopper", problem_of("gemm", DataType::kFloat32));
  ASSERT_FALSE(single);
  EXPECT_THAT(single.error().what, HasSubstr("do not compute in float32"));
  EXPECT_THAT(single.error().hint, HasSubstr("bfloat16, float16"));
}

}  // namespace
}  // namespace ptxbatch
