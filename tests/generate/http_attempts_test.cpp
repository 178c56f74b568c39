// What is tried again, how often and when, against a server with every fault that we have heard of.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "tests/generate/http_client_fixture.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using Kind = ModelFailure::Kind;

class HttpAttempts : public HttpClientTest {};

TEST_F(HttpAttempts, SurvivesAStormOf429s) {
  std::atomic<int> left = 2;
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    if (left-- > 0) {
      response.status = 429;
      response.set_header("Retry-After", "0.01");
      response.set_content(R"({"error":{"message":"slow down"}})", "application/json");
    } else {
      FaultServer::answer(response, openai_stream());
    }
  });
  const ModelResult result = ask(model_at(server.url()));
  ASSERT_TRUE(result) << describe(result.error().error);
  EXPECT_EQ(result->reply.attempts, 3);
}

TEST_F(HttpAttempts, GivesUpAfterItsAttempts) {
  FaultServer server(
      [](const httplib::Request&, httplib::Response& response) { response.status = 503; });
  const ModelResult result = ask(model_at(server.url()));
  expect_failure(result, Kind::kTransport, "http_503");
  EXPECT_THAT(result.error().error.what, HasSubstr("after 3 attempts"));
  EXPECT_EQ(server.requests(), 3);
}

TEST_F(HttpAttempts, DoesNotBeginAnAttemptBehindItsTotalTime) {
  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    response.status = 429;
    response.set_header("Retry-After", "3600");
  });
  expect_failure(ask(model_at(server.url())), Kind::kTransport, "http_429");
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(HttpAttempts, NeverRepeatsARefusedRequest) {
  for (const int status : {400, 401, 403, 404, 422}) {
    FaultServer server([&](const httplib::Request&, httplib::Response& response) {
      response.status = status;
      response.set_content(R"({"error":{"message":"no"}})", "application/json");
    });
    EXPECT_FALSE(ask(model_at(server.url())));
    EXPECT_EQ(server.requests(), 1) << status;
  }
}

// A wrong key is found out once, not once a trajectory.
TEST_F(HttpAttempts, AModelThatCannotWorkIsAskedOnce) {
  FaultServer server(
      [](const httplib::Request&, httplib::Response& response) { response.status = 401; });
  const auto asked = client(model_at(server.url()));
  for (int i = 0; i < 3; ++i) {
    expect_failure(ask(*asked, request(i)), Kind::kModel, "key_refused");
  }
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(HttpAttempts, OneFailureStopsNoOther) {
  FaultServer server([](const httplib::Request& request, httplib::Response& response) {
    if (request.body.find("bad") != std::string::npos) {
      response.status = 422;
    } else {
      FaultServer::answer(response, openai_stream());
    }
  });
  const auto asked = client(model_at(server.url()));
  ModelRequest bad = request();
  bad.messages[1].content = "bad";
  expect_failure(ask(*asked, bad), Kind::kRequest, "http_422");
  EXPECT_TRUE(ask(*asked, request()));
}

// As OpenRouter answers for a prompt that a moderator refused.
TEST_F(HttpAttempts, APromptThatIsFlaggedStopsNoOther) {
  FaultServer server([](const httplib::Request& request, httplib::Response& response) {
    if (request.body.find("bad") == std::string::npos) {
      FaultServer::answer(response, openai_stream());
      return;
    }
    response.status = 403;
    response.set_content(
        R"({"error":{"code":403,"message":"Refused","metadata":{"reasons":["violence"],)"
        R"("flagged_input":"bad","provider_name":"p","model_slug":"m"}}})",
        "application/json");
  });
  const auto asked = client(model_at(server.url()));
  ModelRequest bad = request();
  bad.messages[1].content = "bad";
  expect_failure(ask(*asked, bad), Kind::kRequest, "moderation");
  EXPECT_TRUE(ask(*asked, request()));
}

// The pure parser is cut at every byte elsewhere; here a real connection is, at some.
TEST_F(HttpAttempts, AStreamThatIsCutIsAskedForAgain) {
  const std::string stream = openai_stream();
  std::atomic<std::size_t> size = 0;
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    const std::size_t at = size.exchange(stream.size());
    FaultServer::answer(response, stream.substr(0, at), at < stream.size());
  });
  const auto asked = client(model_at(server.url()));
  const std::size_t whole = stream.find("\"stop\"");
  for (std::size_t cut = 0; cut < whole; cut += 37) {
    size = cut;
    const ModelResult result = ask(*asked, request());
    ASSERT_TRUE(result) << cut << ": " << describe(result.error().error);
    EXPECT_EQ(result->reply.text, kAnswer);
    EXPECT_EQ(result->reply.attempts, 2) << cut;
  }
}

TEST_F(HttpAttempts, AStreamThatStandsStillRunsIntoItsClock) {
  FaultServer* hanging = nullptr;
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    hanging->hang(response, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n");
  });
  hanging = &server;
  ModelSpec model = model_at(server.url());
  model.endpoint.clocks.idle_s = 0.1;
  model.endpoint.retries.attempts = 1;
  expect_failure(ask(model), Kind::kTransport, "idle");
}

TEST_F(HttpAttempts, KeepAlivesDoNotCountAsProgressForEver) {
  FaultServer* hanging = nullptr;
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    hanging->hang(response, ": PROCESSING\n\n", ": PROCESSING\n\n");
  });
  hanging = &server;
  ModelSpec model = model_at(server.url());
  model.endpoint.clocks.keep_alive_s = 0.2;
  model.endpoint.retries.attempts = 1;
  expect_failure(ask(model), Kind::kTransport, "keep_alive");
}

TEST_F(HttpAttempts, AServerThatNeverAnswersRunsIntoTheFirstByteClock) {
  FaultServer* holding = nullptr;
  FaultServer server([&](const httplib::Request&, httplib::Response&) { holding->hold_until(99); });
  holding = &server;
  ModelSpec model = model_at(server.url());
  model.endpoint.clocks.connect_s = 0.1;
  model.endpoint.clocks.first_byte_s = 0.1;
  model.endpoint.retries.attempts = 1;
  expect_failure(ask(model), Kind::kTransport, "first_byte");
}

// Slow is not still: there is no clock for the whole.
TEST_F(HttpAttempts, ASlowDripArrives) {
  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    const std::string stream = openai_stream();
    response.set_chunked_content_provider("text/event-stream",
                                          [stream](std::size_t offset, httplib::DataSink& sink) {
                                            sink.write(&stream[offset], 1);
                                            if (offset + 1 == stream.size()) sink.done();
                                            return true;
                                          });
  });
  const ModelResult result = ask(model_at(server.url()));
  ASSERT_TRUE(result) << describe(result.error().error);
  EXPECT_EQ(result->reply.text, kAnswer);
}

TEST_F(HttpAttempts, AReplyOfAnotherKindShowsHowItBegins) {
  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    response.set_content("<html>Please log in to the proxy</html>", "text/html");
  });
  const ModelResult result = ask(model_at(server.url()));
  expect_failure(result, Kind::kTransport, "foreign_reply");
  EXPECT_THAT(result.error().error.what, HasSubstr("Please log in to the proxy"));
}

TEST_F(HttpAttempts, MayBeDestroyedWithStreamsOut) {
  FaultServer* hanging = nullptr;
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    hanging->hang(response, ": PROCESSING\n\n", ": PROCESSING\n\n");
  });
  hanging = &server;
  auto asked = client(model_at(server.url()));
  for (int i = 0; i < 8; ++i) {
    asked->submit(request(i), [](const ModelResult&) { FAIL(); });
  }
  server.wait_for_requests(8);
  asked.reset();
}

// Remembers what it was asked, and grants when the test says so.
class ScriptedGate final : public PermitGate {
 public:
  std::uint64_t ask(RequestRecord request, std::int64_t tokens,
                    std::function<void()> granted) override {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(request));
    tokens_ = tokens;
    granted_ = std::move(granted);
    changed_.notify_all();
    return asked_.size();
  }
  void give_back(std::uint64_t permit, PermitUse use) override {
    const std::lock_guard lock(mutex_);
    returned_.emplace_back(permit, use);
  }
  RequestRecord wait_for_question() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return granted_ != nullptr; });
    return asked_.back();
  }
  void grant() {
    std::function<void()> granted;
    {
      const std::lock_guard lock(mutex_);
      granted = std::exchange(granted_, nullptr);
    }
    granted();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RequestRecord> asked_;
  std::vector<std::pair<std::uint64_t, PermitUse>> returned_;
  std::function<void()> granted_;
  std::int64_t tokens_ = 0;
};

TEST_F(HttpAttempts, SendsNothingWithoutAPermitAndAsksForEachAttempt) {
  std::atomic<int> left = 1;
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    if (left-- > 0) {
      response.status = 429;
      response.set_header("Retry-After", "0.02");
    } else {
      FaultServer::answer(response, openai_stream());
    }
  });
  ScriptedGate gate;
  auto asked = make_http_client(model_at(server.url()), {60, &loop_, &gate, &keys_});
  ModelRequest what = request(7);
  what.request_sha256 = "abc";
  std::promise<ModelResult> promise;
  asked->submit(what, [&](ModelResult result) { promise.set_value(std::move(result)); });
  const RequestRecord first = gate.wait_for_question();
  EXPECT_EQ(first.trajectory, 7);
  EXPECT_EQ(first.request_sha256, "abc");
  EXPECT_EQ(first.attempt, 1);
  EXPECT_GE(gate.tokens_, 10);
  EXPECT_EQ(server.requests(), 0);
  gate.grant();
  EXPECT_EQ(gate.wait_for_question().attempt, 2);
  ASSERT_EQ(gate.returned_.size(), 1U);
  EXPECT_EQ(gate.returned_[0].second.pause_s, 0.02);
  gate.grant();
  ASSERT_TRUE(promise.get_future().get());
  asked.reset();  // the permit goes back behind the reply
  ASSERT_EQ(gate.returned_.size(), 2U);
  EXPECT_EQ(gate.returned_[1].second.tokens, 140);
}

}  // namespace
}  // namespace ptxbatch
