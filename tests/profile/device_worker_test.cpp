// What a device's thread says of the turns that it does not judge: a real keeper on the host, with
// the health of a GPU that simulated_nvml.cpp plays from a script.
#include "ranks/device_worker.h"

#include <filesystem>
#include <fstream>

#include "tests/profile/judge_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using Loss = TurnInHand::DeviceLoss;

class DeviceWorkerTest : public ::testing::Test {
 protected:
  DeviceWorkerTest()
      : scratch_(std::move(ScratchFolder::make(testing::TempDir(), "worker-").value())),
        problem_(gemm()),
        trajectory_(on_the_host(), {nullptr, nullptr, &problem_, nullptr}, {}) {
    const JudgeConfig small = small_config(scratch_.path());
    config_.experiment.targets = {TargetSpec{"host", "", "", 0}};
    config_.experiment.protocol = small.protocol;
    config_.experiment.protocol.iterations = 2;
    config_.experiment.budgets = small.budgets;
    config_.scratch_folder = scratch_.path();
    config_.programs = [small](const std::string&) {
      TargetPrograms programs;
      programs.keeper = monitored_keeper_program();
      programs.runner = small.runner_program;
      programs.tracer = small.tracer_program;
      return programs;
    };
  }

  static ProblemSpec gemm() {
    ProblemSpec spec;
    spec.problem = gemm_problem();
    return spec;
  }

  static Assignment on_the_host() {
    Assignment assignment;
    assignment.trajectory.target = "host";
    return assignment;
  }

  // One line a reading.
  void script(const std::string& lines) {
    std::filesystem::create_directories(scratch_.path() + "/judge-host");
    std::ofstream(scratch_.path() + "/judge-host/nvml") << lines;
  }

  std::shared_ptr<TurnInHand> turn(const std::string& source_sha256) {
    auto turn = std::make_shared<TurnInHand>();
    turn->trajectory = &trajectory_;
    turn->source_sha256 = source_sha256;
    turn->facts.compilation.emplace().binary = candidate("wrong_last_tile");
    return turn;
  }

  // Hands over two turns at once and says what became of them; `noted` is told of each event.
  std::vector<Loss> losses_of_two(const std::function<void(DeviceWorker&, std::string)>& noted) {
    MessageQueue<std::shared_ptr<TurnInHand>> judged;
    std::unique_ptr<DeviceWorker> worker;
    worker = std::make_unique<DeviceWorker>(
        config_,
        DeviceWorker::Links{[&](std::shared_ptr<TurnInHand> turn) { judged.push(std::move(turn)); },
                            [&](DeviceService /*service*/, std::string kind,
                                std::string /*message*/) { noted(*worker, std::move(kind)); }});
    const auto started = worker->start();
    EXPECT_TRUE(started) << describe(started.error());
    worker->judge(turn("first"));
    worker->judge(turn("second"));
    std::vector<Loss> losses;
    while (started && losses.size() < 2) losses.push_back((*judged.pop())->device_loss);
    return losses;
  }

  ScratchFolder scratch_;
  PipelineConfig config_;
  ProblemSpec problem_;
  Trajectory trajectory_;
};

TEST_F(DeviceWorkerTest, TurnsOfADeviceThatIsExcludedSayWhetherItWasTheirFault) {
  script("lost\n");
  EXPECT_THAT(losses_of_two([](DeviceWorker&, const std::string&) {}),
              ElementsAre(Loss::kMeanwhile, Loss::kBefore));
}

TEST_F(DeviceWorkerTest, AStopDuringAPauseIsNoFaultOfTheDeviceOrTheTurn) {
  script("40 93 0\n");
  config_.experiment.reliability.cool_down_s = 3600;
  EXPECT_THAT(losses_of_two([](DeviceWorker& worker, const std::string& kind) {
                if (kind == "device_paused") worker.hurry();
              }),
              ElementsAre(Loss::kStopped, Loss::kStopped));
}

}  // namespace
}  // namespace ptxbatch
