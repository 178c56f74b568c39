// Ranks that are not fit to work: refused, with a sentence that says which rank and what to do.
#include "orchestrator/roll_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/version.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

VisibleGpu hopper(const std::string& uuid) {
  return {uuid, "NVIDIA H100", "9.0", "580.1"};
}

Hello hello(std::optional<std::vector<VisibleGpu>> gpus, const std::string& host = "n0") {
  return {kVersion, kGitCommit, host, std::move(gpus)};
}

class RollCallTest : public testing::Test {
 protected:
  void use_target(const std::string& name) {
    experiment_.targets.emplace_back();
    experiment_.targets.back().name = name;
  }

  std::string refusal(int rank, const Hello& said) {
    const auto admitted = roll_call_.admit(rank, said);
    return admitted ? "" : describe(admitted.error());
  }

  Experiment experiment_;
  RollCall roll_call_{experiment_};
};

TEST_F(RollCallTest, gives_each_rank_a_gpu_of_its_own_where_all_see_all) {
  use_target("hopper");
  const Hello both = hello({{hopper("GPU-a"), hopper("GPU-b")}});
  EXPECT_EQ(roll_call_.admit(1, both), 0);
  EXPECT_EQ(roll_call_.admit(2, both), 1);
}

TEST_F(RollCallTest, takes_the_gpu_that_the_launcher_left_to_a_rank) {
  use_target("hopper");
  EXPECT_EQ(roll_call_.admit(1, hello({{hopper("GPU-b")}})), 0);
  EXPECT_EQ(roll_call_.admit(2, hello({{hopper("GPU-a")}})), 0);
}

TEST_F(RollCallTest, refuses_a_gpu_that_another_rank_uses) {
  use_target("hopper");
  ASSERT_TRUE(roll_call_.admit(1, hello({{hopper("GPU-a")}})));
  const std::string said = refusal(2, hello({{hopper("GPU-a")}}));
  EXPECT_THAT(said, HasSubstr("rank 2 on n0 has no GPU of its own"));
  EXPECT_THAT(said, HasSubstr("GPU-a is used by rank 1"));
  EXPECT_THAT(said, HasSubstr("--allow-unfit"));
}

TEST_F(RollCallTest, refuses_a_rank_without_a_gpu) {
  use_target("hopper");
  EXPECT_THAT(refusal(1, hello(std::vector<VisibleGpu>{})), HasSubstr("rank 1 on n0 has no GPU"));
}

TEST_F(RollCallTest, refuses_another_architecture_and_names_it) {
  use_target("blackwell");
  EXPECT_THAT(refusal(1, hello({{hopper("GPU-a")}})),
              HasSubstr("GPU-a is a NVIDIA H100 of compute capability 9.0"));
}

TEST_F(RollCallTest, refuses_another_program) {
  Hello old = hello(std::nullopt);
  old.git_commit = "0123456789ab";
  EXPECT_THAT(refusal(3, old), HasSubstr("rank 3 on n0 runs ptxbatch"));
}

TEST_F(RollCallTest, asks_no_gpu_of_a_gateway_nor_of_the_host_target) {
  use_target("host");
  EXPECT_EQ(roll_call_.admit(1, hello(std::vector<VisibleGpu>{})), 0);
  EXPECT_EQ(roll_call_.admit(2, hello(std::nullopt)), 1);
  EXPECT_EQ(roll_call_.admit(3, hello(std::nullopt, "n1")), 0);
  experiment_.targets.front().name = "hopper";
  experiment_.rank.gateways = true;
  experiment_.rank.gateway_ranks = {4};
  EXPECT_TRUE(roll_call_.admit(4, hello(std::vector<VisibleGpu>{})));
}

EnvironmentRecord environment(int rank, const std::string& device) {
  EnvironmentRecord found;
  found.rank = rank;
  found.host = "n0";
  found.target = "hopper";
  found.device_name = "NVIDIA H100";
  found.device_id = device;
  found.driver = "580.1";
  found.libraries = "nvcc 13.0";
  return found;
}

TEST_F(RollCallTest, refuses_a_gpu_used_twice_that_only_the_keepers_could_name) {
  use_target("hopper");
  ASSERT_TRUE(roll_call_.admit(1, hello(std::nullopt)));
  ASSERT_TRUE(roll_call_.admit(2, hello(std::nullopt)));
  EXPECT_TRUE(roll_call_.check(environment(1, "GPU-a")));
  const Status checked = roll_call_.check(environment(2, "GPU-a"));
  ASSERT_FALSE(checked);
  EXPECT_THAT(describe(checked.error()), HasSubstr("GPU-a, which is used by rank 1"));
}

TEST_F(RollCallTest, tells_once_of_ranks_with_another_driver_or_compiler) {
  use_target("hopper");
  EXPECT_FALSE(roll_call_.news(environment(1, "GPU-a")));
  EnvironmentRecord other = environment(2, "GPU-b");
  EXPECT_FALSE(roll_call_.news(other));
  other.driver = "570.9";
  other.libraries = "nvcc 12.9";
  const auto news = roll_call_.news(other);
  ASSERT_TRUE(news);
  EXPECT_THAT(*news, HasSubstr("driver 570.9, rank 1 has 580.1"));
  EXPECT_THAT(*news, HasSubstr("libraries nvcc 12.9"));
  EXPECT_FALSE(roll_call_.news(other));
}

}  // namespace
}  // namespace ptxbatch
