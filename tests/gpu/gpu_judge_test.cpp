// What the judge makes of candidates on a real GPU: honest ones of every kind of launch, and every
// fault, after each of which the next candidate is judged as if nothing had been.
#include "common/clock.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(GpuTest, TheDeviceSaysWhatItIs) {
  const auto info = judge_->device_info();
  ASSERT_TRUE(info) << describe(info.error());
  EXPECT_THAT(info->id, StartsWith("GPU-"));
  EXPECT_THAT(info->architecture, StartsWith("sm_"));
  EXPECT_THAT(info->libraries, HasSubstr("cuBLASLt"));
  EXPECT_GT(info->peak_flops_per_s, 1e14);
  EXPECT_GT(info->peak_bytes_per_s, 1e12);
  std::printf("%s, %s, driver %s, %s; peaks %.4g FLOP/s, %.4g B/s\n", info->name.c_str(),
              info->architecture.c_str(), info->driver.c_str(), info->libraries.c_str(),
              info->peak_flops_per_s, info->peak_bytes_per_s);
}

class HonestCandidate : public GpuTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(HonestCandidate, IsCorrectAndTimed) {
  const Evaluation evaluation = evaluate(GetParam());
  std::printf("%s\n", report(evaluation).c_str());
  ASSERT_EQ(evaluation.outcome, Outcome::kCorrect) << report(evaluation);
  EXPECT_GT(evaluation.candidate_latency_ms, 0);
  EXPECT_GT(evaluation.reference_latency_ms, 0);
  EXPECT_THAT(evaluation.reference, HasSubstr("cuBLASLt"));
  EXPECT_EQ(evaluation.readings.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(EachKindOfLaunch, HonestCandidate,
                         ::testing::Values("honest_plain", "honest_default_stream",
                                           "honest_streams_joined", "honest_synchronises",
                                           "honest_graph", "honest_cooperative_launch",
                                           "honest_cluster_launch", "honest_driver_launch",
                                           "honest_programmatic_dependent_launch",
                                           "honest_memcpy_and_memset", "honest_pool_allocation",
                                           "fault_leaks_most_memory"),
                         [](const auto& test) { return std::string(test.param); });

struct Fault {
  const char* candidate;
  Outcome outcome;
  int device_error;  // 0: not a fault of the device
};

class FaultyCandidate : public GpuTest, public ::testing::WithParamInterface<Fault> {};

TEST_P(FaultyCandidate, IsNamedAndHarmsNobody) {
  const Evaluation before = evaluate("honest_plain");
  ASSERT_EQ(before.outcome, Outcome::kCorrect) << report(before);
  const Evaluation evaluation = evaluate(GetParam().candidate);
  std::printf("%s\n", report(evaluation).c_str());
  EXPECT_EQ(evaluation.outcome, GetParam().outcome) << report(evaluation);
  EXPECT_EQ(evaluation.device_error, GetParam().device_error) << report(evaluation);
  const auto start = SteadyClock::now();
  const Evaluation after = evaluate("honest_plain");
  std::printf("the next one: %.3f s\n", seconds_since(start));
  EXPECT_EQ(after.outcome, Outcome::kCorrect) << report(after);
  EXPECT_LT(seconds_since(start), before.seconds + 2) << "the GPU was not in use again in time";
}

INSTANTIATE_TEST_SUITE_P(
    EachFault, FaultyCandidate,
    ::testing::Values(Fault{"fault_illegal_address", Outcome::kDeviceFault, 700},
                      Fault{"fault_illegal_address_in_third_call", Outcome::kDeviceFault, 700},
                      Fault{"fault_input_overread", Outcome::kDeviceFault, 700},
                      Fault{"fault_input_written", Outcome::kDeviceFault, 700},
                      Fault{"fault_output_overrun", Outcome::kDeviceFault, 700},
                      Fault{"fault_output_underrun", Outcome::kOverrun, 0},
                      Fault{"fault_misaligned", Outcome::kDeviceFault, 716},
                      Fault{"fault_device_trap", Outcome::kDeviceFault, 719},
                      Fault{"fault_device_assert", Outcome::kDeviceFault, 710},
                      Fault{"fault_deadlocked_mbarrier", Outcome::kTimedOut, 0},
                      Fault{"fault_endless_kernel", Outcome::kTimedOut, 0},
                      Fault{"fault_endless_host", Outcome::kTimedOut, 0},
                      Fault{"fault_huge_stack", Outcome::kDeviceFault, 700},
                      Fault{"fault_device_reset", Outcome::kDeviceFault, 709},
                      Fault{"fault_context_destroyed", Outcome::kDeviceFault, 709},
                      Fault{"fault_exits_in_run", Outcome::kExited, 0},
                      Fault{"fault_exits_at_once_after_computing", Outcome::kExited, 0},
                      Fault{"fault_aborts", Outcome::kCrashed, 0},
                      Fault{"fault_segmentation", Outcome::kCrashed, 0},
                      Fault{"fault_throws", Outcome::kRaised, 0},
                      Fault{"fault_throws_an_int", Outcome::kCrashed, 0},
                      Fault{"fault_leaks_in_every_call", Outcome::kRaised, 0},
                      Fault{"fault_launch_refused", Outcome::kWrong, 0},
                      Fault{"no_run_exported", Outcome::kWrongInterface, 0},
                      Fault{"does_not_load", Outcome::kWrongInterface, 0},
                      Fault{"wrong_adds_to_output", Outcome::kWrong, 0},
                      Fault{"wrong_fp8", Outcome::kWrong, 0},
                      Fault{"wrong_input_copier", Outcome::kWrong, 0},
                      Fault{"wrong_last_tile", Outcome::kWrong, 0},
                      Fault{"wrong_not_a_number", Outcome::kWrong, 0},
                      Fault{"wrong_nothing_written", Outcome::kWrong, 0},
                      Fault{"wrong_one_element", Outcome::kWrong, 0},
                      Fault{"wrong_zero_writer", Outcome::kWrong, 0}),
    [](const auto& test) { return std::string(test.param.candidate); });

TEST_F(GpuTest, AWorkloadThatDoesNotFitIsAnErrorForThatWorkloadOnly) {
  // 128 GiB of A alone.
  const Evaluation evaluation =
      judge_->evaluate(bf16_gemm(1 << 20, 1 << 10, 1 << 16), gpu_candidate("honest_plain"));
  EXPECT_EQ(evaluation.outcome, Outcome::kServiceFailure);
  EXPECT_THAT(evaluation.detail, HasSubstr("does not fit into the memory"));
  EXPECT_EQ(evaluate("honest_plain").outcome, Outcome::kCorrect);
}

TEST_F(GpuTest, TheReferenceTimedInPairsWithItselfIsAsFastAsItself) {
  JudgeConfig config = gpu_config(scratch());
  config.protocol.iterations = 20;
  config.protocol.pair_blocks = 4;
  config.readable = {"/"};
  use(config);
  const Evaluation evaluation = judge_->evaluate(paper_problem("gemm"), gpu_candidate("reference"));
  ASSERT_EQ(evaluation.outcome, Outcome::kCorrect) << report(evaluation);
  EXPECT_GT(evaluation.paired_speedup, 0.9);
  EXPECT_LT(evaluation.paired_speedup, 1.1);
  // Two trials of four blocks between five of the reference, which was alone once for each trial.
  EXPECT_EQ(evaluation.timings.size(), 2U * (4 + 5) + 2);
}

TEST_F(GpuTest, ATargetOfAnotherArchitectureIsRefused) {
  JudgeConfig config = gpu_config(scratch());
  config.target = "blackwell";
  use(config);
  const auto info = judge_->device_info();
  ASSERT_FALSE(info);
  EXPECT_THAT(info.error().what, HasSubstr("sm_100"));
}

}  // namespace
}  // namespace ptxbatch
