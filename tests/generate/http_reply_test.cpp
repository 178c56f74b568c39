// What is sent for a request, and what the record of its reply holds.
#include <nlohmann/json.hpp>

#include "ranks/generate/token_estimate.h"
#include "tests/generate/http_client_fixture.h"

namespace ptxbatch {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class HttpReply : public HttpClientTest {};

TEST_F(HttpReply, GivesTheReplyOfEachApi) {
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

TEST_F(HttpReply, SendsWhatTheExperimentFileSays) {
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

TEST_F(HttpReply, UnpacksGzip) {
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
  EXPECT_EQ(result->reply.reasoning_tokens, 0) << "nothing of it is reasoning";
}

// One document with this usage; the reasoning has 300 characters, and so about 100 tokens.
std::string reply_with(const json& usage) {
  const json message = {{"content", "Here."}, {"reasoning_content", std::string(300, 'x')}};
  const json choice = {{"message", message}, {"finish_reason", "stop"}};
  json reply = {{"choices", {choice}}};
  if (!usage.is_null()) reply["usage"] = usage;
  return reply.dump();
}

TEST_F(HttpReply, ReasoningThatIsNotCountedByItselfIsEstimated) {
  std::string body;
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    response.set_content(body, "application/json");
  });
  const ModelSpec model = model_at(server.url());
  const auto answer = [&](const json& usage) {
    body = reply_with(usage);
    const ModelResult result = ask(model);
    EXPECT_TRUE(result) << describe(result.error().error);
    return result ? result->reply : ReplyRecord{};
  };
  // vLLM counts the reply alone; SGLang sends 0 where it was not told to count.
  for (const json& details : {json(), json({{"reasoning_tokens", 0}})}) {
    json usage = {{"prompt_tokens", 70}, {"completion_tokens", 500}};
    if (!details.is_null()) usage["completion_tokens_details"] = details;
    const ReplyRecord reply = answer(usage);
    EXPECT_FALSE(reply.usage_estimated);
    EXPECT_TRUE(reply.reasoning_estimated);
    EXPECT_EQ(reply.prompt_tokens, 70);
    EXPECT_EQ(reply.completion_tokens, 500);
    EXPECT_EQ(reply.reasoning_tokens, estimated_tokens(300));
  }
  const ReplyRecord shorter = answer({{"prompt_tokens", 70}, {"completion_tokens", 80}});
  EXPECT_EQ(shorter.reasoning_tokens, 80) << "a part is no larger than the whole";
  const ReplyRecord counted = answer({{"prompt_tokens", 70},
                                      {"completion_tokens", 500},
                                      {"completion_tokens_details", {{"reasoning_tokens", 91}}}});
  EXPECT_FALSE(counted.reasoning_estimated);
  EXPECT_EQ(counted.reasoning_tokens, 91);
  const ReplyRecord uncounted = answer(nullptr);
  EXPECT_TRUE(uncounted.usage_estimated);
  EXPECT_TRUE(uncounted.reasoning_estimated);
  EXPECT_GT(uncounted.completion_tokens, uncounted.reasoning_tokens);
}

TEST_F(HttpReply, AFullContextEndsTheConversationBeforeAnythingIsSent) {
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

TEST_F(HttpReply, AReplyMayNotBeLongerThanTheContextAllows) {
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

TEST_F(HttpReply, AServersWordForAFullContextEndsTheConversationToo) {
  FaultServer server([](const httplib::Request&, httplib::Response& response) {
    response.status = 400;
    response.set_content(R"({"error":{"message":"too long","code":"context_length_exceeded"}})",
                         "application/json");
  });
  const ModelResult result = ask(model_at(server.url()));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end_without_reply, TrajectoryEnd::kContextExhausted);
}

TEST_F(HttpReply, CostsComeFromTheProviderOrFromPrices) {
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

}  // namespace
}  // namespace ptxbatch
