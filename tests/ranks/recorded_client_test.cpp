// The recorded model: real files, one reply a turn.
#include "ranks/generate/recorded_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>

#include "common/file_system.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

class RecordedClientTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ + "/gemm/exp_000");
    trajectory_.definition = "gemm";
    trajectory_.id = "exp_000";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_text(folder_ + "/gemm/exp_000/" + name, text));
  }

  [[nodiscard]] ModelSpec model(double replay_latency) const {
    ModelSpec spec;
    spec.name = "m";
    spec.provider = "recorded";
    spec.replies_folder = folder_;
    spec.replay_latency = replay_latency;
    return spec;
  }
  [[nodiscard]] ModelRequest request(int turn) const {
    ModelRequest request;
    request.trajectory = trajectory_;
    request.turn = turn;
    return request;
  }

  std::string folder_ = testing::TempDir() + "/recorded_" + std::to_string(::getpid());
  PlannedTrajectory trajectory_;
};

TEST_F(RecordedClientTest, ReadsTheReplyAndWhatIsKnownAboutIt) {
  write("turn_0.md", "a reply");
  write("turn_0.json", R"({"latency_s": 2.5, "reasoning_tokens": 77, "model": "m-1"})");
  const auto reply = read_recorded_reply(folder_, trajectory_, 0);
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->reply.text, "a reply");
  EXPECT_EQ(reply->reply.latency_s, 2.5);
  EXPECT_EQ(reply->reply.reasoning_tokens, 77);
  EXPECT_EQ(reply->reply.model_returned, "m-1");
}

TEST_F(RecordedClientTest, ARecordingThatEndsIsNotAnError) {
  write("turn_0.md", "a reply");
  const auto reply = read_recorded_reply(folder_, trajectory_, 1);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->end_without_reply, TrajectoryEnd::kRepliesExhausted);
}

TEST_F(RecordedClientTest, AGapIsAnErrorThatNamesTheFile) {
  write("turn_0.md", "a reply");
  write("turn_2.md", "another");
  const auto reply = read_recorded_reply(folder_, trajectory_, 1);
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().file, HasSubstr("turn_1.md"));
  EXPECT_FALSE(check_recorded_replies(folder_, trajectory_, 8));
}

TEST_F(RecordedClientTest, WrongMetadataNamesItsFile) {
  write("turn_0.md", "a reply");
  write("turn_0.json", "{");
  const auto reply = read_recorded_reply(folder_, trajectory_, 0);
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().file, HasSubstr("turn_0.json"));
}

TEST_F(RecordedClientTest, AnswersEachRequestOnce) {
  write("turn_0.md", "a reply");
  const auto client = make_recorded_client(model(0), 60);
  std::promise<ModelResult> promise;
  client->submit(request(0), [&](ModelResult reply) { promise.set_value(std::move(reply)); });
  const auto reply = promise.get_future().get();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->reply.text, "a reply");
}

// With replay, the shorter recorded latency answers first, whatever the order of asking.
TEST_F(RecordedClientTest, ReplaysLatenciesInOrder) {
  write("turn_0.md", "slow");
  write("turn_0.json", R"({"latency_s": 3.0})");
  write("turn_1.md", "fast");
  write("turn_1.json", R"({"latency_s": 1.0})");
  const auto client = make_recorded_client(model(0.05), 60);
  std::mutex mutex;
  std::vector<std::string> order;
  std::promise<void> both;
  const auto done = [&](ModelResult reply) {
    const std::lock_guard lock(mutex);
    order.push_back(reply->reply.text);
    if (order.size() == 2) both.set_value();
  };
  client->submit(request(0), done);
  client->submit(request(1), done);
  both.get_future().wait();
  EXPECT_THAT(order, testing::ElementsAre("fast", "slow"));
}

TEST_F(RecordedClientTest, AReplyThatTakesTooLongIsAnError) {
  write("turn_0.md", "slow");
  write("turn_0.json", R"({"latency_s": 1000})");
  const auto client = make_recorded_client(model(1), 0.01);
  std::promise<ModelResult> promise;
  client->submit(request(0), [&](ModelResult reply) { promise.set_value(std::move(reply)); });
  EXPECT_FALSE(promise.get_future().get());
}

TEST_F(RecordedClientTest, MayBeDestroyedWithRepliesStillDue) {
  write("turn_0.md", "slow");
  write("turn_0.json", R"({"latency_s": 1000})");
  auto client = make_recorded_client(model(1), 2000);
  client->submit(request(0), [](const ModelResult&) { FAIL(); });
  client.reset();
}

}  // namespace
}  // namespace ptxbatch
