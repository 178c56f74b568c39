// Which workloads stay resident.
#include "ranks/profile/workload_store.h"

#include <gmock/gmock.h>

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;

class CountedWorkload final : public WorkloadState {
 public:
  explicit CountedWorkload(std::uint64_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t resident_bytes() const override { return bytes_; }
  Result<SharedTensors> share_with_new_runner() override { return SharedTensors{}; }
  Status prepare_call(std::size_t /*set*/, PartOrder /*order*/) override { return {}; }
  Result<CallChecked> check_call(std::size_t /*set*/, Tolerance /*tolerance*/) override {
    return CallChecked{};
  }
  [[nodiscard]] std::string reference() const override { return {}; }
  Result<double> time_reference(std::size_t /*set*/) override { return 0; }

 private:
  std::uint64_t bytes_;
};

/// Takes as many bytes as the axis "bytes" says and remembers what it made.
class CountingDevice final : public KeeperDevice {
 public:
  [[nodiscard]] DeviceInfo info() const override { return {}; }
  Result<std::unique_ptr<WorkloadState>> make_workload(const Problem& problem,
                                                       std::uint64_t /*input_seed*/,
                                                       std::size_t /*input_sets*/) override {
    if (problem.workload == "bad") return fail(ErrorKind::kInput, "a bad workload");
    made.push_back(problem.workload);
    return std::make_unique<CountedWorkload>(static_cast<std::uint64_t>(problem.axes.at("bytes")));
  }
  std::vector<std::string> made;
};

class WorkloadStoreTest : public ::testing::Test {
 protected:
  void open(const std::string& workload, std::int64_t bytes, std::uint64_t seed = 1) {
    OpenWorkload request;
    request.problem.workload = workload;
    request.problem.axes = {{"bytes", bytes}};
    request.input_seed = seed;
    EXPECT_TRUE(store_.open(request));
  }
  CountingDevice device_;
  WorkloadStore store_{device_, 100};
};

TEST_F(WorkloadStoreTest, WithinTheBudgetNothingIsMadeTwice) {
  open("a", 40);
  open("b", 40);
  open("a", 40);
  EXPECT_THAT(device_.made, ElementsAre("a", "b"));
}

TEST_F(WorkloadStoreTest, TheOneUsedLongestAgoGoesFirst) {
  open("a", 40);
  open("b", 40);
  open("a", 40);
  open("c", 40);
  open("a", 40);
  open("b", 40);
  EXPECT_THAT(device_.made, ElementsAre("a", "b", "c", "b"));
}

TEST_F(WorkloadStoreTest, OneThatIsLargerThanTheBudgetIsStillServed) {
  open("huge", 1000);
  open("huge", 1000);
  EXPECT_THAT(device_.made, ElementsAre("huge"));
}

TEST_F(WorkloadStoreTest, OtherSeedsAreOtherWorkloads) {
  open("a", 10, 1);
  open("a", 10, 2);
  EXPECT_THAT(device_.made, ElementsAre("a", "a"));
}

TEST_F(WorkloadStoreTest, AFailureIsPassedOnAndKeepsNothing) {
  OpenWorkload request;
  request.problem.workload = "bad";
  EXPECT_FALSE(store_.open(request));
  EXPECT_FALSE(store_.open(request));
}

}  // namespace
}  // namespace ptxbatch
