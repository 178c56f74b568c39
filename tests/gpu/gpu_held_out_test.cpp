// The problems of experiments/paper/heldout.toml at their full size: each has a reference that can
// be timed, and that is right as a candidate of its own.
#include <cstdio>

#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

struct HeldOut {
  const char* op_type;
  std::int64_t width;
};
std::ostream& operator<<(std::ostream& out, const HeldOut& problem) {
  return out << problem.op_type << " of width " << problem.width;
}

class GpuHeldOut : public GpuTest, public ::testing::WithParamInterface<HeldOut> {};

TEST_P(GpuHeldOut, HasAReference) {
  JudgeConfig config = gpu_config(scratch());
  config.protocol.pair_blocks = 5;
  config.budgets.evaluate_s = 30;
  let_references_be_candidates(config);
  use(config);
  const auto& [op_type, width] = GetParam();
  const Evaluation evaluation = judge_->evaluate(bf16_attention(op_type, 4, 48, 4096, width),
                                                 reference_candidate(scratch(), op_type));
  EXPECT_EQ(evaluation.outcome, Outcome::kCorrect) << report(evaluation);
  std::printf("HELD OUT %s d%d: %.4f ms, as its own candidate %.4f in pairs\n", op_type,
              static_cast<int>(width), evaluation.reference_latency_ms, evaluation.paired_speedup);
}

INSTANTIATE_TEST_SUITE_P(Problems, GpuHeldOut,
                         ::testing::Values(HeldOut{"mha_fwd", 64}, HeldOut{"mha_fwd_causal", 64},
                                           HeldOut{"mha_bwd", 64}, HeldOut{"mha_bwd_causal", 64},
                                           HeldOut{"mha_fwd", 96}, HeldOut{"mha_fwd_causal", 96},
                                           HeldOut{"mha_bwd", 96}, HeldOut{"mha_bwd_causal", 96}),
                         [](const ::testing::TestParamInfo<HeldOut>& problem) {
                           return std::string(problem.param.op_type) + "_d" +
                                  std::to_string(problem.param.width);
                         });

}  // namespace
}  // namespace ptxbatch
