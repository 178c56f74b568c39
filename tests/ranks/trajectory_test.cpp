#include "ranks/trajectory.h"

#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

TurnRecord judged(int turn, Label label, double speedup) {
  TurnRecord record;
  record.turn = turn;
  record.label = label;
  record.speedup = speedup;
  record.paired_speedup = speedup / 2;
  return record;
}

TEST(Trajectory, AResumedOneHasTheMessagesItWouldHaveHad) {
  const std::vector<Message> prompt = {{"system", "s"}, {"user", "u"}};
  Trajectory whole({}, {}, prompt);
  whole.add_turn("r0", "f0");
  whole.add_turn("r1", "f1");
  Assignment assignment;
  assignment.history = {{"r0", "f0"}, {"r1", "f1"}};
  const Trajectory resumed(assignment, {}, prompt);
  EXPECT_EQ(messages_json(resumed.messages()), messages_json(whole.messages()));
  EXPECT_EQ(resumed.next_turn(), 2);
  EXPECT_EQ(resumed.prompt_sha256(), whole.prompt_sha256());
}

TEST(Trajectory, EndsAtTheTargetSpeedupOnlyWhenCorrect) {
  const ProtocolSettings protocol;
  EXPECT_EQ(end_after(judged(0, Label::kCorrect, 1.2), {}, protocol),
            TrajectoryEnd::kTargetReached);
  EXPECT_EQ(end_after(judged(0, Label::kCorrect, 1.19), {}, protocol), std::nullopt);
  EXPECT_EQ(end_after(judged(0, Label::kNumericalError, 9), {}, protocol), std::nullopt);
}

TEST(Trajectory, TheSettingChoosesWhichSpeedupStops) {
  ProtocolSettings protocol;
  protocol.speedup = "paired";
  EXPECT_EQ(end_after(judged(0, Label::kCorrect, 2.0), {}, protocol), std::nullopt);
  EXPECT_EQ(end_after(judged(0, Label::kCorrect, 2.4), {}, protocol),
            TrajectoryEnd::kTargetReached);
}

TEST(Trajectory, EndsAfterItsLastTurn) {
  const ProtocolSettings protocol;
  EXPECT_EQ(end_after(judged(6, Label::kCompilationError, 0), {}, protocol), std::nullopt);
  EXPECT_EQ(end_after(judged(7, Label::kCompilationError, 0), {}, protocol),
            TrajectoryEnd::kTurnsDone);
}

TEST(Trajectory, AnExhaustedContextEndsIt) {
  ReplyRecord reply;
  reply.end = ReplyEnd::kContextExhausted;
  EXPECT_EQ(end_after(judged(0, Label::kExtractionError, 0), reply, {}),
            TrajectoryEnd::kContextExhausted);
}

}  // namespace
}  // namespace ptxbatch
