// Messages between ranks and coordinator survive the wire, and bytes that are none are refused.
#include "ranks/coordination.h"

#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

TEST(Coordination, AnAssignmentKeepsItsHistoryAndPendingReply) {
  Assignment assignment;
  assignment.trajectory.index = 7;
  assignment.trajectory.id = "exp_007";
  assignment.trajectory.prompt_tag = "+more";
  assignment.history = {{"reply \xff not UTF-8", "feedback"}};
  assignment.pending_reply = ReplyRecord{};
  assignment.pending_reply->text = "paid for";
  const auto decoded = decode_coordinator_message(encode_message(CoordinatorMessage(assignment)));
  ASSERT_TRUE(decoded) << describe(decoded.error());
  const auto& result = std::get<Assignment>(*decoded);
  EXPECT_EQ(result.trajectory, assignment.trajectory);
  ASSERT_EQ(result.history.size(), 1U);
  EXPECT_EQ(result.history[0].reply, "reply \xff not UTF-8");
  EXPECT_EQ(result.pending_reply, assignment.pending_reply);
}

TEST(Coordination, ARecordKeepsItsNumberAndContents) {
  TurnRecord turn;
  turn.trajectory = 3;
  turn.label = Label::kRuntimeError;
  turn.cause = "exited";
  const auto decoded = decode_rank_message(encode_message(RankMessage(RecordMessage{42, turn})));
  ASSERT_TRUE(decoded) << describe(decoded.error());
  const auto& result = std::get<RecordMessage>(*decoded);
  EXPECT_EQ(result.number, 42U);
  EXPECT_EQ(std::get<TurnRecord>(result.record), turn);
}

TEST(Coordination, EveryKindOfMessageComesBackAsItself) {
  const std::vector<RankMessage> from_ranks = {
      Hello{}, WorkRequest{}, RecordMessage{1, EventRecord{}}, Activity{}, Heartbeat{}, Goodbye{}};
  for (const RankMessage& message : from_ranks) {
    const auto decoded = decode_rank_message(encode_message(message));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->index(), message.index());
  }
  const std::vector<CoordinatorMessage> to_ranks = {Welcome{},    Refusal{},         Assignment{},
                                                    NoMoreWork{}, Acknowledgement{}, Stop{},
                                                    Heartbeat{},  Dismissed{},       Farewell{}};
  for (const CoordinatorMessage& message : to_ranks) {
    const auto decoded = decode_coordinator_message(encode_message(message));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->index(), message.index());
  }
}

TEST(Coordination, ForeignBytesAreAnError) {
  EXPECT_FALSE(decode_rank_message("not CBOR"));
  EXPECT_FALSE(decode_rank_message(""));
  EXPECT_FALSE(decode_rank_message(encode_message(CoordinatorMessage(Stop{}))));
}

}  // namespace
}  // namespace ptxbatch
