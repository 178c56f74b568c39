// The coordinator with ranks that the test plays itself, message by message.
#include "orchestrator/coordinator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "common/version.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/heart.h"
#include "orchestrator/in_process_transport.h"
#include "results/results_file.h"
#include "tests/orchestrator/run_records.h"
#include "tests/support/failing_file_system.h"

namespace ptxbatch {
namespace {

// A rank by hand: sends what the test says and waits for what it expects.
class ScriptedRank {
 public:
  ScriptedRank(InProcessTransport& transport, int rank) : transport_(transport), rank_(rank) {}

  void say(const RankMessage& message) {
    transport_.send_to_coordinator(rank_, encode_message(message));
  }
  void say(Record record) { say(RecordMessage{++number_, std::move(record)}); }

  template <class T>
  T expect() {
    const auto bytes = transport_.receive_at_rank(rank_);
    auto message = decode_coordinator_message(bytes.value());
    EXPECT_TRUE(message);
    EXPECT_TRUE(std::holds_alternative<T>(*message)) << "message " << message->index();
    return std::get<T>(std::move(*message));
  }

  void join(int places, std::optional<std::vector<VisibleGpu>> gpus = std::nullopt) {
    say(Hello{kVersion, kGitCommit, "host", std::move(gpus)});
    expect<Welcome>();
    say(WorkRequest{places});
  }

 private:
  InProcessTransport& transport_;
  int rank_;
  std::uint64_t number_ = 0;
};

// Behind the system's until it jumps to it. (Ahead of it, waits for messages would last as long.)
class JumpingTime final : public TimeSource {
 public:
  [[nodiscard]] SteadyClock::time_point now() const override {
    return SteadyClock::now() - std::chrono::seconds(behind_s_);
  }
  [[nodiscard]] double unix_time_s() const override { return ::ptxbatch::unix_time_s(); }
  void jump() { behind_s_ = 0; }

 private:
  std::atomic<int> behind_s_ = 60;
};

class CoordinatorTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Runs a coordinator over `ranks` ranks beside the test, which plays them in `script`.
  Coordinator::Outcome run(const ExperimentRecord& record, int ranks,
                           const std::function<void(InProcessTransport&)>& script) {
    auto store = RunStore::open(*files_, path_, record);
    EXPECT_TRUE(store) << describe(store.error());
    Experiment experiment = experiment_;
    experiment.text = record.text;
    experiment.protocol.turns = record.turns;
    experiment.rank.silence_s = silence_s_;
    InProcessTransport transport(ranks);
    Progress progress(record.turns);
    Coordinator::Outcome outcome;
    std::thread coordinator([&] {
      outcome =
          Coordinator(experiment, **store, transport, progress, *time_, WorkQueue(), conditions_)
              .run();
    });
    script(transport);
    coordinator.join();
    return outcome;
  }

  Experiment experiment_;
  RunConditions conditions_;
  FileSystem* files_ = &real_file_system();
  const TimeSource* time_ = &system_time();
  std::string folder_ = testing::TempDir() + "/coordinator_test_" + std::to_string(::getpid());
  std::string path_ = folder_ + "/run.h5";
  double silence_s_ = 0;
};

TEST_F(CoordinatorTest, HandsOutWorkJournalsAndEnds) {
  const auto outcome = run(small_experiment(1, 1), 1, [](InProcessTransport& transport) {
    ScriptedRank rank(transport, 1);
    rank.join(4);
    EXPECT_EQ(rank.expect<Assignment>().trajectory.id, "exp_000");
    rank.say(Record(reply_of(0, 0)));
    EXPECT_EQ(rank.expect<Acknowledgement>().number, 1U);
    rank.say(Record(turn_of(0, 0)));
    rank.say(Record(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""}));
    while (true) {
      auto message = *decode_coordinator_message(*transport.receive_at_rank(1));
      if (std::holds_alternative<NoMoreWork>(message)) break;
      ASSERT_TRUE(std::holds_alternative<Acknowledgement>(message));
    }
    rank.say(Goodbye{});
  });
  EXPECT_EQ(outcome.exit_code, kExitDone);
  const auto summary = read_results_summary(path_);
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->complete);
  EXPECT_EQ(summary->turns, 1);
}

TEST_F(CoordinatorTest, NoRankGetsMoreThanItsShare) {
  run(small_experiment(4, 1), 2, [](InProcessTransport& transport) {
    ScriptedRank first(transport, 1);
    ScriptedRank second(transport, 2);
    first.join(16);
    second.join(16);
    first.expect<Assignment>();
    first.expect<Assignment>();
    second.expect<Assignment>();
    second.expect<Assignment>();
    first.say(Goodbye{"unfit"});
    second.say(Goodbye{"unfit"});
  });
}

TEST_F(CoordinatorTest, WithoutAnyRankAbleToWorkItIsAnError) {
  const auto outcome = run(small_experiment(1, 1), 1, [](InProcessTransport& transport) {
    ScriptedRank rank(transport, 1);
    rank.say(Hello{kVersion, kGitCommit, "host"});
    rank.expect<Welcome>();
    rank.say(Goodbye{"no compiler"});
  });
  EXPECT_EQ(outcome.exit_code, kExitError);
  ASSERT_TRUE(outcome.error);
}

TEST_F(CoordinatorTest, AnotherProgramVersionIsRefused) {
  const auto outcome = run(small_experiment(1, 1), 1, [](InProcessTransport& transport) {
    ScriptedRank rank(transport, 1);
    rank.say(Hello{"0.0.0", "old", "host"});
    EXPECT_NE(rank.expect<Refusal>().message.find("0.0.0"), std::string::npos);
  });
  EXPECT_EQ(outcome.exit_code, kExitError);
}

// Two ranks that a launcher gave the same GPU. The second is refused by the first's answer.
void join_with_one_gpu(ScriptedRank& first, ScriptedRank& second) {
  const std::vector<VisibleGpu> gpu = {{"GPU-a", "NVIDIA H200", "9.0", "580.1"}};
  first.join(1, gpu);
  second.say(Hello{kVersion, kGitCommit, "host", gpu});
  const Refusal refusal = second.expect<Refusal>();
  EXPECT_NE(refusal.message.find("GPU-a is used by rank 1"), std::string::npos);
  second.say(Goodbye{refusal.message});
}

TEST_F(CoordinatorTest, AGpuUsedTwiceIsRefusedBeforeAnyWorkIsHandedOut) {
  experiment_.targets.emplace_back();
  experiment_.targets.back().name = "hopper";
  const auto outcome = run(small_experiment(1, 1), 2, [](InProcessTransport& transport) {
    ScriptedRank first(transport, 1);
    ScriptedRank second(transport, 2);
    join_with_one_gpu(first, second);
    first.expect<Stop>();
    first.say(Goodbye{});
  });
  EXPECT_EQ(outcome.exit_code, kExitError);
  ASSERT_TRUE(outcome.error);
  EXPECT_NE(outcome.error->hint.find("--allow-unfit"), std::string::npos);
}

TEST_F(CoordinatorTest, ARankThatIsNotFitIsSetAsideWhenThatIsAllowed) {
  experiment_.targets.emplace_back();
  experiment_.targets.back().name = "hopper";
  conditions_.allow_unfit = true;
  const auto outcome = run(small_experiment(1, 1), 2, [](InProcessTransport& transport) {
    ScriptedRank first(transport, 1);
    ScriptedRank second(transport, 2);
    join_with_one_gpu(first, second);
    first.expect<Assignment>();
    first.say(Record(reply_of(0, 0)));
    first.expect<Acknowledgement>();
    first.say(Record(turn_of(0, 0)));
    first.say(Record(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""}));
    first.say(Goodbye{});
  });
  EXPECT_EQ(outcome.exit_code, kExitDone);
}

TEST_F(CoordinatorTest, ATurnThatIsSentTwiceCountsOnce) {
  run(small_experiment(1, 2), 1, [](InProcessTransport& transport) {
    ScriptedRank rank(transport, 1);
    rank.join(1);
    rank.expect<Assignment>();
    rank.say(Record(reply_of(0, 0)));
    rank.say(Record(turn_of(0, 0)));
    rank.say(Record(turn_of(0, 0)));
    rank.say(Goodbye{});
  });
  const auto state = read_run_state(path_);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->turns(), 1);
}

TEST_F(CoordinatorTest, APromptThatManyRanksSendIsStoredOnce) {
  run(small_experiment(2, 1), 2, [](InProcessTransport& transport) {
    ScriptedRank first(transport, 1);
    ScriptedRank second(transport, 2);
    for (ScriptedRank* rank : {&first, &second}) rank->join(1);
    for (ScriptedRank* rank : {&first, &second}) {
      rank->expect<Assignment>();
      rank->say(Record(PromptRecord{"hash", "prompt"}));
    }
    first.say(Goodbye{});
    second.say(Goodbye{});
  });
  int prompts = 0;
  ASSERT_TRUE(read_results_file(path_, [&prompts](Record&& record) -> Status {
    prompts += std::holds_alternative<PromptRecord>(record) ? 1 : 0;
    return {};
  }));
  EXPECT_EQ(prompts, 1);
}

TEST_F(CoordinatorTest, WhatArrivesDuringALongSyncCountsAlthoughTheStopsDeadlineIsOver) {
  FailingFileSystem files;
  JumpingTime time;
  files_ = &files;
  time_ = &time;
  const auto outcome = run(small_experiment(1, 2), 1, [&](InProcessTransport& transport) {
    ScriptedRank rank(transport, 1);
    rank.join(4);
    rank.expect<Assignment>();
    rank.say(Record(reply_of(0, 0)));
    rank.expect<Acknowledgement>();
    files.during_next_sync = [&] {
      time.jump();
      rank.say(Record(reply_of(0, 1)));
      rank.say(Goodbye{});
    };
    transport.send_to_coordinator(1, "no message, which stops the run");
    rank.expect<Stop>();
    rank.say(Record(turn_of(0, 0)));
  });
  EXPECT_EQ(outcome.exit_code, kExitResumable);
  EXPECT_FALSE(outcome.ranks_left_behind);
  const auto state = read_run_state(path_);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->turns(), 1);
  EXPECT_TRUE(state->trajectories()[0].pending_reply) << "it was paid for";
}

TEST_F(CoordinatorTest, AnUnfinishedRunIsResumableAndGoesOnWhereItWas) {
  const auto outcome = run(small_experiment(1, 2), 1, [](InProcessTransport& transport) {
    ScriptedRank rank(transport, 1);
    rank.join(1);
    rank.expect<Assignment>();
    rank.say(Record(reply_of(0, 0)));
    rank.say(Record(turn_of(0, 0)));
    rank.say(Record(reply_of(0, 1)));
    rank.say(Goodbye{});
  });
  EXPECT_EQ(outcome.exit_code, kExitResumable);
  run(small_experiment(1, 2), 1, [](InProcessTransport& transport) {
    ScriptedRank rank(transport, 1);
    rank.join(1);
    const auto assignment = rank.expect<Assignment>();
    ASSERT_EQ(assignment.history.size(), 1U);
    EXPECT_EQ(assignment.history[0].feedback, "feedback 0");
    ASSERT_TRUE(assignment.pending_reply);
    EXPECT_EQ(assignment.pending_reply->text, "reply 1");
    rank.say(Goodbye{});
  });
}

class SilentRank : public CoordinatorTest {
 protected:
  SilentRank() { silence_s_ = 0.4; }
};

TEST_F(SilentRank, LosesItsTrajectoryAndMayBeginAfresh) {
  const auto outcome = run(small_experiment(1, 1), 2, [](InProcessTransport& transport) {
    ScriptedRank silent(transport, 1);
    ScriptedRank other(transport, 2);
    const Heart alive(0.02, [&] { other.say(Heartbeat{}); });
    other.join(0);
    silent.join(1);
    silent.expect<Assignment>();
    silent.say(Record(reply_of(0, 0)));
    silent.expect<Acknowledgement>();

    other.say(WorkRequest{1});
    const auto taken_over = other.expect<Assignment>();
    ASSERT_TRUE(taken_over.pending_reply) << "a reply that was paid for is asked for again";

    silent.say(Record(turn_of(0, 0, Label::kNumericalError)));
    silent.expect<Dismissed>();
    const Heart awake(0.02, [&] { silent.say(Heartbeat{}); });
    silent.say(Record(turn_of(0, 0, Label::kNumericalError)));
    silent.join(1);
    other.say(Record(turn_of(0, 0, Label::kCorrect)));
    other.say(Record(TrajectoryEndRecord{0, TrajectoryEnd::kTurnsDone, ""}));
    silent.expect<NoMoreWork>();
    silent.say(Goodbye{});
    other.say(Goodbye{});
    silent.expect<Farewell>();
  });
  EXPECT_EQ(outcome.exit_code, kExitDone);
  EXPECT_FALSE(outcome.ranks_left_behind);
  const auto state = read_run_state(path_);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->turns(), 1);
  EXPECT_EQ(state->labels()[static_cast<std::size_t>(Label::kCorrect)], 1);
}

TEST_F(SilentRank, IsNotWaitedForAndTheRunCanBeResumed) {
  const auto outcome = run(small_experiment(1, 1), 1, [](InProcessTransport& transport) {
    ScriptedRank silent(transport, 1);
    silent.join(1);
    silent.expect<Assignment>();
  });
  EXPECT_EQ(outcome.exit_code, kExitResumable);
  EXPECT_TRUE(outcome.ranks_left_behind);
  EXPECT_TRUE(outcome.error);
}

TEST_F(CoordinatorTest, ATrajectoryThatIsNotInARanksHandIsNoneOfItsBusiness) {
  run(small_experiment(2, 1), 2, [](InProcessTransport& transport) {
    ScriptedRank first(transport, 1);
    ScriptedRank second(transport, 2);
    second.join(0);
    first.join(1);
    const auto mine = first.expect<Assignment>().trajectory.index;
    second.say(Record(reply_of(mine, 0)));
    second.say(Goodbye{});
    first.say(Record(reply_of(mine, 0)));
    first.expect<Acknowledgement>();
    first.say(Record(turn_of(mine, 0)));
    first.say(Goodbye{});
  });
  const auto state = read_run_state(path_);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->turns(), 1);
}

TEST_F(CoordinatorTest, WithoutADeviceInServiceARunStopsAndCanBeResumed) {
  const auto outcome = run(small_experiment(1, 1), 1, [](InProcessTransport& transport) {
    ScriptedRank rank(transport, 1);
    rank.join(1);
    rank.expect<Assignment>();
    rank.say(PutBack{0, "the device is out of service", true});
    rank.say(WorkRequest{0, true});
    rank.expect<Stop>();
    rank.say(Goodbye{});
  });
  EXPECT_EQ(outcome.exit_code, kExitResumable);
}

}  // namespace
}  // namespace ptxbatch
