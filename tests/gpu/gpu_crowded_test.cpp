// Another program has taken the GPU's memory: nobody's candidate and nobody's workload is at fault.
#include "ranks/profile/cuda/checked_call.h"
#include "ranks/profile/cuda/device_memory.h"
#include "ranks/profile/cuda/gpu_context.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;

// Enough for the contexts of keepers and runners.
constexpr std::uint64_t kLeftBytes = 6ULL << 30U;

/// All memory of the GPU but kLeftBytes.
DeviceBuffer take_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  PTXBATCH_CALL(cuMemGetInfo(&free, &total));
  return DeviceBuffer(free - kLeftBytes);
}

TEST_F(GpuTest, MemoryThatOtherProgramsHoldIsASignAboutTheDevice) {
  const Problem problem = bf16_gemm(1 << 16, 1 << 13, 1 << 15);  // 4 GiB of A in each set
  Evaluation evaluation;
  {
    const GpuContext gpu(0);
    const DeviceBuffer taken = take_memory();
    judge_->take_signs();
    evaluation = judge_->evaluate(problem, gpu_candidate("honest_plain"));
  }
  EXPECT_EQ(evaluation.outcome, Outcome::kServiceFailure);
  EXPECT_THAT(evaluation.detail, HasSubstr("other programs"));
  EXPECT_TRUE(judge_->take_signs().service_failed);
  EXPECT_EQ(evaluate("honest_plain").outcome, Outcome::kCorrect) << "the memory is free again";
}

}  // namespace
}  // namespace ptxbatch
