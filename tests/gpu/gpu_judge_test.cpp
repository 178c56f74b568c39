// What the judge makes of candidates on a real GPU: honest ones of every kind of launch, and every
// fault, after each of which the next candidate is judged as if nothing had been.
#include "common/clock.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string report(const Evaluation& evaluation) {
  std::string text = "outcome " + std::to_string(static_cast<int>(evaluation.outcome)) + " in " +
                     evaluation.phase + " after call " + std::to_string(evaluation.call) + ": " +
                     evaluation.detail + ", device error " +
                     std::to_string(evaluation.device_error) + ", " +
                     std::to_string(evaluation.candidate_latency_ms) + " ms against " +
                     std::to_string(evaluation.reference_latency_ms) + " ms, " +
                     std::to_string(evaluation.seconds) + " s";
  for (const OutputError& error : evaluation.errors) {
    text += "; " + error.output + ": wrong " + std::to_string(error.wrong) + " of " +
            std::to_string(error.elements) + ", max abs " + std::to_string(error.max_abs) +
            ", never written " + std::to_string(error.never_written);
  }
  return text;
}

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
  EXPECT_GT(evaluation.paired_speedup, 0);
  EXPECT_THAT(evaluation.reference, HasSubstr("cuBLASLt"));
  EXPECT_EQ(evaluation.readings.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(EachKindOfLaunch, HonestCandidate,
                         ::testing::Values("correct", "on_two_streams", "by_graph",
                                           "with_copy_and_fill", "side_stream_without_waiting",
                                           "leaks_most_of_the_memory"),
                         [](const auto& test) { return std::string(test.param); });

struct Fault {
  const char* candidate;
  Outcome outcome;
  int device_error;  // 0: not a fault of the device
};

class FaultyCandidate : public GpuTest, public ::testing::WithParamInterface<Fault> {};

TEST_P(FaultyCandidate, IsNamedAndHarmsNobody) {
  const Evaluation before = evaluate("correct");
  ASSERT_EQ(before.outcome, Outcome::kCorrect) << report(before);
  const Evaluation evaluation = evaluate(GetParam().candidate);
  std::printf("%s\n", report(evaluation).c_str());
  EXPECT_EQ(evaluation.outcome, GetParam().outcome) << report(evaluation);
  EXPECT_EQ(evaluation.device_error, GetParam().device_error) << report(evaluation);
  const auto start = SteadyClock::now();
  const Evaluation after = evaluate("correct");
  std::printf("the next one: %.3f s\n", seconds_since(start));
  EXPECT_EQ(after.outcome, Outcome::kCorrect) << report(after);
  EXPECT_LT(seconds_since(start), before.seconds + 2) << "the GPU was not in use again in time";
}

INSTANTIATE_TEST_SUITE_P(
    EachFault, FaultyCandidate,
    ::testing::Values(
        Fault{"illegal_access", Outcome::kDeviceFault, 700},
        Fault{"writes_just_behind_the_output", Outcome::kDeviceFault, 700},
        Fault{"writes_just_before_the_output", Outcome::kOverrun, 0},
        Fault{"writes_into_an_input", Outcome::kDeviceFault, 700},
        Fault{"misaligned", Outcome::kDeviceFault, 716},
        Fault{"deadlocked_mbarrier", Outcome::kTimedOut, 0},
        Fault{"endless_kernel", Outcome::kTimedOut, 0}, Fault{"traps", Outcome::kDeviceFault, 719},
        Fault{"huge_stack", Outcome::kDeviceFault, 700},
        Fault{"resets_the_device", Outcome::kDeviceFault, 709}, Fault{"exits", Outcome::kExited, 0},
        Fault{"aborts", Outcome::kCrashed, 0}, Fault{"launches_nothing", Outcome::kWrong, 0},
        Fault{"wrong_values", Outcome::kWrong, 0}, Fault{"cannot_be_launched", Outcome::kWrong, 0},
        Fault{"keeps_its_result", Outcome::kWrong, 0}),
    [](const auto& test) { return std::string(test.param.candidate); });

TEST_F(GpuTest, AWorkloadThatDoesNotFitIsAnErrorForThatWorkloadOnly) {
  // 128 GiB of A alone.
  const Evaluation evaluation =
      judge_->evaluate(bf16_gemm(1 << 20, 1 << 10, 1 << 16), gpu_candidate("correct"));
  EXPECT_EQ(evaluation.outcome, Outcome::kServiceFailure);
  EXPECT_THAT(evaluation.detail, HasSubstr("does not fit into the memory"));
  EXPECT_EQ(evaluate("correct").outcome, Outcome::kCorrect);
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
