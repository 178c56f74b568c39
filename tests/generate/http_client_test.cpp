// The HTTP client against a server with every fault that we have heard of.
#include "ranks/generate/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <nlohmann/json.hpp>

#include "common/file_system.h"
#include "common/process.h"
#include "ranks/generate/api_keys.h"
#include "ranks/generate/http_loop.h"
#include "ranks/generate/permit_gate.h"
#include "tests/generate/fault_server.h"
#include "tests/generate/recorded_streams.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using Kind = ModelFailure::Kind;

constexpr const char* kKeyVariable = "PTXBATCH_TEST_API_KEY";
constexpr const char* kKey = "sk-test-0123456789abcdef";

// A model that is quick to give up.
ModelSpec model_at(const std::string& url, const std::string& provider = "openai") {
  ModelSpec model;
  model.name = "tested";
  model.provider = provider;
  EndpointSpec& endpoint = model.endpoint;
  endpoint.url = url;
  endpoint.model = "m";
  endpoint.max_tokens = 1000;
  endpoint.clocks = {5, 5, 5, 5};
  endpoint.retries = {3, 0.001, 0.002};
  return model;
}

class HttpClientTest : public testing::Test {
 protected:
  // A proxy of the machine's would stand between us and our server.
  HttpClientTest() {
    for (const char* name :
         {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
      ::unsetenv(name);
    }
  }

  void with_key(ModelSpec& model) {
    ::setenv(kKeyVariable, kKey, 1);
    model.endpoint.api_key_env = kKeyVariable;
    keys_ = ApiKeys::take_from_environment({model});
  }

  std::unique_ptr<ModelClient> client(const ModelSpec& model) {
    return make_http_client(model, {60, &loop_, &gate_, &keys_});
  }

  static ModelRequest request(int index = 0) {
    ModelRequest request;
    request.trajectory.index = index;
    request.messages = {{"system", "You write kernels."}, {"user", "Write one."}};
    request.prompt_tokens = 10;
    return request;
  }

  ModelResult ask(ModelClient& client, ModelRequest what) {
    std::promise<ModelResult> promise;
    client.submit(std::move(what),
                  [&](ModelResult result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }
  ModelResult ask(const ModelSpec& model) {
    const auto asked = client(model);
    return ask(*asked, request());
  }

  void expect_failure(const ModelResult& result, Kind kind, const std::string& cause) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, kind) << describe(result.error().error);
    EXPECT_EQ(result.error().cause, cause) << describe(result.error().error);
    EXPECT_FALSE(result.error().error.what.empty());
  }

  HttpLoop loop_;
  OpenGate gate_;
  ApiKeys keys_;
};

TEST_F(HttpClientTest, GivesTheReplyOfEachApi) {
  for (const char* provider : {"openai", "anthropic", "gemini"}) {
    FaultServer server([&](const httplib::Request&, httplib::Response& response) {
      FaultServer::answer(response, stream_of(provider));
    });
    const ModelResult result = ask(model_at(server.url(), provider));
    ASSERT_TRUE(result) << describe(result.error().error);
    const ReplyRecord& reply = result->reply;
    EXPECT_EQ(reply.text, kAnswer);
    EXPECT_EQ(reply.reasoning, kThought);
    EXPECT_EQ(reply.model_requested, "m");
    EXPECT_EQ(reply.model_returned, "m-2026");
    EXPECT_EQ(reply.prompt_tokens, 100);
    EXPECT_EQ(reply.attempts, 1);
    EXPECT_GT(reply.latency_s, 0);
    EXPECT_GT(reply.first_text_s, 0);
    EXPECT_FALSE(reply.usage_estimated);
  }
}

TEST_F(HttpClientTest, SendsWhatTheExperimentFileSays) {
  std::string authorization;
  std::string path;
  std::string referer;
  FaultServer server([&](const httplib::Request& request, httplib::Response& response) {
    authorization = request.get_header_value("Authorization");
    referer = request.get_header_value("X-Title");
    path = request.path;
    FaultServer::answer(response, openai_stream());
  });
  ModelSpec model = model_at(server.url());
  model.endpoint.sampling.temperature = 1.0;
  model.endpoint.sampling.top_k = 20;
  model.endpoint.sampling.reasoning_effort = "high";
  model.endpoint.headers = {{"X-Title", "PTXBench"}};
  model.endpoint.body = R"({"provider":{"order":["a"]},"stream_options":{"extra":1}})";
  with_key(model);
  ASSERT_TRUE(ask(model));
  EXPECT_EQ(path, "/v1/chat/completions");
  EXPECT_EQ(authorization, std::string("Bearer ") + kKey);
  EXPECT_EQ(referer, "PTXBench");
  const json body = json::parse(server.bodies().at(0));
  EXPECT_EQ(body["model"], "m");
  EXPECT_EQ(body["stream"], true);
  EXPECT_EQ(body["stream_options"], (json{{"include_usage", true}, {"extra", 1}}));
  EXPECT_EQ(body["max_tokens"], 1000);
  EXPECT_EQ(body["temperature"], 1.0);
  EXPECT_EQ(body["top_k"], 20);
  EXPECT_EQ(body["reasoning_effort"], "high");
  EXPECT_EQ(body["provider"]["order"][0], "a");
  EXPECT_EQ(body["messages"][1]["content"], "Write one.");
  EXPECT_FALSE(body.contains("top_p"));
}

TEST_F(HttpClientTest, SurvivesAStormOf429s) {
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

TEST_F(HttpClientTest, GivesUpAfterItsAttempts) {
  FaultServer server(
      [](const httplib::Request&, httplib::Response& response) { response.status = 503; });
  const ModelResult result = ask(model_at(server.url()));
  expect_failure(result, Kind::kTransport, "http_503");
  EXPECT_THAT(result.error().error.what, HasSubstr("after 3 attempts"));
  EXPECT_EQ(server.requests(), 3);
}

TEST_F(HttpClientTest, DoesNotBeginAnAttemptBehindItsTotalTime) {
  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    response.status = 429;
    response.set_header("Retry-After", "3600");
  });
  expect_failure(ask(model_at(server.url())), Kind::kTransport, "http_429");
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(HttpClientTest, NeverRepeatsARefusedRequest) {
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
TEST_F(HttpClientTest, AModelThatCannotWorkIsAskedOnce) {
  FaultServer server(
      [](const httplib::Request&, httplib::Response& response) { response.status = 401; });
  const auto asked = client(model_at(server.url()));
  for (int i = 0; i < 3; ++i) {
    expect_failure(ask(*asked, request(i)), Kind::kModel, "key_refused");
  }
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(HttpClientTest, OneFailureStopsNoOther) {
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

TEST_F(HttpClientTest, AKeyThatAServerRepeatsIsNotShown) {
  FaultServer server([](const httplib::Request& request, httplib::Response& response) {
    response.status = 401;
    response.set_content(
        R"({"error":{"message":"Wrong key: )" + request.get_header_value("Authorization") + "\"}}",
        "application/json");
  });
  ModelSpec model = model_at(server.url());
  with_key(model);
  const ModelResult result = ask(model);
  expect_failure(result, Kind::kModel, "key_refused");
  EXPECT_THAT(describe(result.error().error), HasSubstr("Bearer [key]"));
  EXPECT_THAT(describe(result.error().error), Not(HasSubstr(kKey)));
  EXPECT_THAT(describe(result.error().error), HasSubstr(kKeyVariable));
}

TEST_F(HttpClientTest, AMissingKeyIsSaidBeforeAnythingIsSent) {
  FaultServer server([](const httplib::Request&, httplib::Response&) {});
  ModelSpec model = model_at(server.url());
  model.endpoint.api_key_env = "PTXBATCH_TEST_NO_SUCH_KEY";
  const ModelResult result = ask(model);
  expect_failure(result, Kind::kModel, "key_missing");
  EXPECT_THAT(result.error().error.hint, HasSubstr("PTXBATCH_TEST_NO_SUCH_KEY"));
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(HttpClientTest, AKeyLeavesTheEnvironment) {
  ModelSpec model = model_at("http://127.0.0.1:1");
  with_key(model);
  EXPECT_EQ(std::getenv(kKeyVariable), nullptr);
  ASSERT_NE(keys_.find(kKeyVariable), nullptr);
  EXPECT_EQ(*keys_.find(kKeyVariable), kKey);
}

// The pure parser is cut at every byte elsewhere; here a real connection is, at some.
TEST_F(HttpClientTest, AStreamThatIsCutIsAskedForAgain) {
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

TEST_F(HttpClientTest, AStreamThatStandsStillRunsIntoItsClock) {
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

TEST_F(HttpClientTest, KeepAlivesDoNotCountAsProgressForEver) {
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

TEST_F(HttpClientTest, AServerThatNeverAnswersRunsIntoTheFirstByteClock) {
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
TEST_F(HttpClientTest, ASlowDripArrives) {
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

TEST_F(HttpClientTest, AReplyOfAnotherKindShowsHowItBegins) {
  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    response.set_content("<html>Please log in to the proxy</html>", "text/html");
  });
  const ModelResult result = ask(model_at(server.url()));
  expect_failure(result, Kind::kTransport, "foreign_reply");
  EXPECT_THAT(result.error().error.what, HasSubstr("Please log in to the proxy"));
}

TEST_F(HttpClientTest, UnpacksGzip) {
  std::string accepted;
  FaultServer server([&](const httplib::Request& request, httplib::Response& response) {
    accepted = request.get_header_value("Accept-Encoding");
    response.set_content(  // the server packs what it may
        R"({"choices":[{"message":{"content":")" + std::string(100000, 'x') +
            R"("},"finish_reason":"stop"}]})",
        "application/json");
  });
  const ModelResult result = ask(model_at(server.url()));
  ASSERT_TRUE(result) << describe(result.error().error);
  EXPECT_EQ(result->reply.text.size(), 100000U);
  EXPECT_THAT(accepted, HasSubstr("gzip"));
  EXPECT_TRUE(result->reply.usage_estimated);
}

TEST_F(HttpClientTest, ARedirectionIsReportedNotFollowed) {
  FaultServer elsewhere([](const httplib::Request&, httplib::Response& response) {
    FaultServer::answer(response, openai_stream());
  });
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    response.set_redirect(elsewhere.url(), 307);
  });
  ModelSpec model = model_at(server.url());
  with_key(model);
  const ModelResult result = ask(model);
  expect_failure(result, Kind::kModel, "redirected");
  EXPECT_THAT(result.error().error.what, HasSubstr(elsewhere.url()));
  EXPECT_EQ(elsewhere.requests(), 0);
}

TEST_F(HttpClientTest, GoesThroughAProxy) {
  std::string path;
  FaultServer proxy([&](const httplib::Request& request, httplib::Response& response) {
    path = request.path;
    FaultServer::answer(response, openai_stream());
  });
  const std::string address = "http://127.0.0.1:" + std::to_string(proxy.port());
  ::setenv("http_proxy", address.c_str(), 1);  // https_proxy is read in the same place
  ::unsetenv("no_proxy");
  const ModelResult result = ask(model_at("http://models.invalid/v1"));
  ::unsetenv("http_proxy");
  ASSERT_TRUE(result) << describe(result.error().error);
  EXPECT_THAT(path, HasSubstr("models.invalid/v1/chat/completions"));
}

TEST_F(HttpClientTest, NobodyThereIsATransportFailure) {
  std::string url;
  {
    const FaultServer gone([](const httplib::Request&, httplib::Response&) {});
    url = gone.url();
  }
  const ModelResult result = ask(model_at(url));
  expect_failure(result, Kind::kTransport, "connect");
  EXPECT_THAT(result.error().error.what, HasSubstr(url));
}

TEST_F(HttpClientTest, ACertificateThatIsNotTrustedIsTheModelsFault) {
  const auto openssl = find_program("openssl");
  if (!openssl) GTEST_SKIP() << "no openssl (Debian: openssl)";
  const TestFolder folder;
  const std::string certificate = folder.file("certificate.pem");
  const std::string key = folder.file("key.pem");
  ProcessSpec make;
  make.argv = {*openssl,   "req",           "-x509",   "-newkey",
               "rsa:2048", "-nodes",        "-days",   "2",
               "-subj",    "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
               "-out",     certificate,     "-keyout", key};
  make.environment = tool_environment();
  const auto made = run_process(make, 60);
  ASSERT_TRUE(made && made->end.ok()) << (made ? made->output : describe(made.error()));
  FaultServer server(
      [](const httplib::Request&, httplib::Response& response) {
        FaultServer::answer(response, openai_stream());
      },
      certificate, key);
  ModelSpec model = model_at(server.url());
  const ModelResult refused = ask(model);
  expect_failure(refused, Kind::kModel, "certificate");
  EXPECT_THAT(refused.error().error.hint, HasSubstr("ca_file"));
  EXPECT_EQ(server.requests(), 0);
  model.endpoint.ca_file = certificate;
  EXPECT_TRUE(ask(model));
}

TEST_F(HttpClientTest, AFullContextEndsTheConversationBeforeAnythingIsSent) {
  FaultServer server([](const httplib::Request&, httplib::Response&) {});
  ModelSpec model = model_at(server.url());
  model.endpoint.context_tokens = 8000;
  model.endpoint.least_reply_tokens = 1000;
  const auto asked = client(model);
  ModelRequest large = request();
  large.prompt_tokens = 7100;
  const ModelResult result = ask(*asked, large);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end_without_reply, TrajectoryEnd::kContextExhausted);
  EXPECT_THAT(result->reason, HasSubstr("7100"));
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(HttpClientTest, AReplyMayNotBeLongerThanTheContextAllows) {
  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    FaultServer::answer(response, openai_stream());
  });
  ModelSpec model = model_at(server.url());
  model.endpoint.context_tokens = 8000;
  model.endpoint.max_tokens = 6000;
  model.endpoint.least_reply_tokens = 1000;
  const auto asked = client(model);
  ModelRequest large = request();
  large.prompt_tokens = 5000;
  ASSERT_TRUE(ask(*asked, large));
  EXPECT_EQ(json::parse(server.bodies().at(0))["max_tokens"], 3000);
}

TEST_F(HttpClientTest, AServersWordForAFullContextEndsTheConversationToo) {
  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    response.status = 400;
    response.set_content(R"({"error":{"message":"too long","code":"context_length_exceeded"}})",
                         "application/json");
  });
  const ModelResult result = ask(model_at(server.url()));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end_without_reply, TrajectoryEnd::kContextExhausted);
}

TEST_F(HttpClientTest, CostsComeFromTheProviderOrFromPrices) {
  ReplyRecord reply;
  reply.prompt_tokens = 1'000'000;
  reply.cached_tokens = 400'000;
  reply.completion_tokens = 100'000;
  EXPECT_DOUBLE_EQ(cost_usd({2.0, 0.5, 10.0}, reply), 0.6 * 2.0 + 0.4 * 0.5 + 0.1 * 10.0);
  EXPECT_DOUBLE_EQ(cost_usd({2.0, 0, 10.0}, reply), 2.0 + 1.0);

  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    FaultServer::answer(response, openai_stream());
  });
  ModelSpec model = model_at(server.url());
  model.endpoint.prices = {2.0, 0.5, 10.0};
  const ModelResult result = ask(model);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reply.cost_usd, 0.0125);
}

TEST_F(HttpClientTest, MayBeDestroyedWithStreamsOut) {
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

TEST_F(HttpClientTest, SendsNothingWithoutAPermitAndAsksForEachAttempt) {
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
