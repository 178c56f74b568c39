// Replies of the three APIs out of their streams: whole, split anywhere, cut anywhere, and with
// everything in them that servers have been seen to send.
#include "ranks/generate/reply_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generate/recorded_streams.h"

namespace ptxbatch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Outcome = tl::expected<ReplyDraft, AttemptFault>;

HttpHead head(const std::string& type, int status = 200) {
  HttpHead result;
  result.status = status;
  result.content_type = type;
  return result;
}

EndpointSpec endpoint() {
  EndpointSpec spec;
  spec.url = "http://127.0.0.1:1/v1";
  spec.model = "m";
  spec.api_key_env = "MY_KEY";
  return spec;
}

struct Feed {
  std::string provider = "openai";
  std::string type = "text/event-stream";
  int status = 200;
  std::size_t piece = 1U << 20U;
  HttpEnd::Kind end = HttpEnd::Kind::kComplete;
};

Outcome outcome_of(std::string_view body, const Feed& feed = {}) {
  const EndpointSpec spec = endpoint();
  ReplyStream stream(*find_wire_format(feed.provider), spec);
  HttpEnd end;
  end.kind = feed.end;
  end.head = head(feed.type, feed.status);
  for (std::size_t at = 0; at < body.size(); at += feed.piece) {
    if (stream.take(end.head, body.substr(at, feed.piece)) == HttpObserver::Next::kStop) {
      end.kind = HttpEnd::Kind::kStopped;
      break;
    }
  }
  return stream.finish(end);
}

Outcome of_openai(const std::string& events) {
  return outcome_of(events);
}

class EachProvider : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Apis, EachProvider, testing::Values("openai", "anthropic", "gemini"));

void expect_recorded_reply(const Outcome& outcome) {
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->text, kAnswer);
  EXPECT_EQ(outcome->reasoning, kThought);
  EXPECT_EQ(outcome->end, ReplyEnd::kComplete);
  EXPECT_EQ(outcome->model, "m-2026");
  EXPECT_EQ(outcome->response_id, "c-1");
  EXPECT_TRUE(outcome->usage.known);
  EXPECT_EQ(outcome->usage.prompt, 100);
  EXPECT_EQ(outcome->usage.completion, 40);
  EXPECT_EQ(outcome->usage.reasoning, 25);
  EXPECT_EQ(outcome->usage.cached, 64);
}

TEST_P(EachProvider, GivesItsReplyForEverySplitOfItsStream) {
  const std::string stream = stream_of(GetParam());
  for (std::size_t piece = 1; piece <= 64; ++piece) {
    expect_recorded_reply(outcome_of(stream, {.provider = GetParam(), .piece = piece}));
  }
  expect_recorded_reply(outcome_of(stream, {.provider = GetParam()}));
}

// A stream that is cut is never taken for a shorter reply: either nothing of the reply is missing,
// or it is a transport failure, to be tried again.
TEST_P(EachProvider, CutAtEveryByteItIsWholeOrAFailure) {
  const std::string stream = stream_of(GetParam());
  int whole = 0;
  for (std::size_t size = 0; size < stream.size(); ++size) {
    for (const auto end : {HttpEnd::Kind::kComplete, HttpEnd::Kind::kCut}) {
      const Outcome outcome =
          outcome_of(stream.substr(0, size), {.provider = GetParam(), .end = end});
      if (outcome) {
        ++whole;
        EXPECT_EQ(outcome->text, kAnswer) << size;
        EXPECT_EQ(outcome->reasoning, kThought) << size;
      } else {
        EXPECT_EQ(outcome.error().kind, ModelFailure::Kind::kTransport) << size;
        EXPECT_TRUE(outcome.error().retry) << size;
      }
    }
  }
  EXPECT_GT(whole, 0);
}

TEST_P(EachProvider, TakesEveryLineEnding) {
  for (const char* end : {"\r", "\r\n"}) {
    std::string stream;
    for (const char c : stream_of(GetParam())) {
      if (c == '\r') continue;
      if (c == '\n') {
        stream += end;
      } else {
        stream += c;
      }
    }
    expect_recorded_reply(outcome_of(stream, {.provider = GetParam(), .piece = 7}));
  }
}

TEST(OpenAiStream, NeedsNoDoneAndNoFinishReason) {
  std::string stream = openai_stream();
  stream.resize(stream.find("data: [DONE]"));
  expect_recorded_reply(of_openai(stream));
  EXPECT_TRUE(of_openai("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n"));
}

TEST(OpenAiStream, KnowsCostAndFingerprint) {
  const Outcome outcome = of_openai(openai_stream());
  EXPECT_EQ(outcome->cost_usd, 0.0125);
  EXPECT_EQ(outcome->fingerprint, "fp_7");
}

TEST(OpenAiStream, TakesReasoningInItsOtherForms) {
  const std::string end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
  const auto reasoning_of = [&](const std::string& delta) {
    const Outcome outcome = of_openai("data: {\"choices\":[{\"delta\":" + delta + "}]}\n\n" + end);
    return outcome ? outcome->reasoning + "|" + outcome->text : outcome.error().what;
  };
  EXPECT_EQ(reasoning_of(R"({"reasoning":"a"})"), "a|");
  // Both of them say the same.
  EXPECT_EQ(reasoning_of(R"({"reasoning":"a","reasoning_details":[{"text":"a"}]})"), "a|");
  EXPECT_EQ(reasoning_of(R"({"reasoning_details":[{"type":"reasoning.text","text":"a"},)"
                         R"({"type":"reasoning.summary","summary":"b"},)"
                         R"({"type":"reasoning.encrypted","data":"zz"}]})"),
            "ab|");
  EXPECT_EQ(reasoning_of(R"({"content":"<think>\na</think>\n\nb"})"), "\na|b");
  EXPECT_EQ(reasoning_of(R"({"content":"a</think>b"})"), "a|b");
  EXPECT_EQ(reasoning_of(R"({"content":"<think>never closed"})"), "never closed|");
  EXPECT_EQ(reasoning_of(R"({"reasoning":"r","content":"uses </think> as a word"})"),
            "r|uses </think> as a word");
  EXPECT_EQ(reasoning_of(R"({"content":[{"type":"thinking","thinking":[{"text":"a"}]},)"
                         R"({"type":"text","text":"b"}]})"),
            "a|b");
}

TEST(OpenAiStream, EndsInEachWay) {
  const auto end_of = [](const std::string& reason) {
    const Outcome outcome =
        of_openai("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"" +
                  reason + "\"}]}\n\n");
    return outcome ? std::string(std::to_string(static_cast<int>(*outcome->end)))
                   : outcome.error().cause;
  };
  EXPECT_EQ(end_of("stop"), "0");
  EXPECT_EQ(end_of("length"), "1");
  EXPECT_EQ(end_of("content_filter"), "3");
  EXPECT_EQ(end_of("error"), "http_503");
  EXPECT_EQ(end_of("insufficient_system_resource"), "http_503");
}

TEST(AnthropicStream, EndsInEachWay) {
  const auto end_of = [](const std::string& reason) {
    return outcome_of(
               R"({"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":")" +
                   reason + R"("})",
               {.provider = "anthropic", .type = "application/json"})
        ->end;
  };
  EXPECT_EQ(end_of("end_turn"), ReplyEnd::kComplete);
  EXPECT_EQ(end_of("max_tokens"), ReplyEnd::kTruncated);
  EXPECT_EQ(end_of("refusal"), ReplyEnd::kRefused);
  EXPECT_EQ(end_of("model_context_window_exceeded"), ReplyEnd::kContextExhausted);
}

TEST(GeminiStream, EndsInEachWay) {
  const auto end_of = [](const std::string& body) {
    return outcome_of(body, {.provider = "gemini", .type = "application/json"})->end;
  };
  EXPECT_EQ(end_of(R"({"candidates":[{"finishReason":"MAX_TOKENS"}]})"), ReplyEnd::kTruncated);
  EXPECT_EQ(end_of(R"({"candidates":[{"finishReason":"SAFETY"}]})"), ReplyEnd::kRefused);
  EXPECT_EQ(end_of(R"({"promptFeedback":{"blockReason":"OTHER"}})"), ReplyEnd::kRefused);
}

TEST(ErrorInAStream, IsWhatItsOwnStatusSays) {
  const Outcome openrouter = of_openai(
      "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n"
      "data: {\"error\":{\"code\":502,\"message\":\"Provider disconnected\"},"
      "\"choices\":[{\"finish_reason\":\"error\"}]}\n\n");
  ASSERT_FALSE(openrouter);
  EXPECT_EQ(openrouter.error().cause, "http_502");
  EXPECT_TRUE(openrouter.error().retry);
  EXPECT_THAT(openrouter.error().what, HasSubstr("Provider disconnected"));

  const Outcome overloaded = outcome_of(
      "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
      "\"message\":\"Overloaded\"}}\n\n",
      {.provider = "anthropic"});
  ASSERT_FALSE(overloaded);
  EXPECT_EQ(overloaded.error().cause, "http_529");
  EXPECT_TRUE(overloaded.error().retry);

  const Outcome gemini = outcome_of(
      R"([{"error":{"code":503,"message":"The model is overloaded","status":"UNAVAILABLE"}}])",
      {.provider = "gemini", .type = "application/json"});
  ASSERT_FALSE(gemini);
  EXPECT_EQ(gemini.error().cause, "http_503");
}

TEST(ForeignReply, IsATransportFailureThatShowsHowItBegins) {
  for (const auto& [body, type] : std::vector<std::pair<std::string, std::string>>{
           {"<html><body>Proxy login</body></html>", "text/html"},
           {R"({"status":"Proxy login"})", "application/json"},
           {"data: {\"answer\":\"Proxy login\"}\n\n", "text/event-stream"},
           {"data: Proxy login, not JSON\n\ndata: x\n\n", "text/event-stream"},
           {anthropic_stream().insert(50, "Proxy login"), "text/event-stream"}}) {
    const Outcome outcome = outcome_of(body, {.type = type});
    ASSERT_FALSE(outcome) << body;
    EXPECT_EQ(outcome.error().cause, "foreign_reply") << body;
    EXPECT_EQ(outcome.error().kind, ModelFailure::Kind::kTransport);
    EXPECT_THAT(outcome.error().what, HasSubstr("Proxy login"));
    EXPECT_LT(outcome.error().what.size(), 300U);
  }
}

TEST(WrongContentType, DoesNotHideAReply) {
  expect_recorded_reply(outcome_of(openai_stream(), {.type = "text/plain", .piece = 3}));
  expect_recorded_reply(outcome_of(openai_stream(), {.type = ""}));
}

TEST(Document, AnswersAStreamRequestAsWell) {
  const Outcome outcome =
      outcome_of(R"({"id":"c-1","model":"m","choices":[{"message":{"content":"x","reasoning":"r"},)"
                 R"("finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}})",
                 {.type = "application/json", .piece = 5});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->text, "x");
  EXPECT_EQ(outcome->reasoning, "r");
  EXPECT_EQ(outcome->usage.completion, 2);
}

TEST(NotQuiteUnicode, IsRepaired) {
  const auto text_of = [](const std::string& content) {
    const Outcome outcome = of_openai("data: {\"choices\":[{\"delta\":{\"content\":\"" + content +
                                      "\"},\"finish_reason\":\"stop\"}]}\n\n");
    return outcome ? outcome->text : outcome.error().what;
  };
  EXPECT_EQ(text_of("a\xF0\x9F\xA7"), "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(text_of("a\\ud83eb"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(text_of("a\\ud83e\\udde9\\\\ud83e"), "a\xF0\x9F\xA7\xA9\\ud83e");
}

TEST(TenMegabyteLine, IsTakenInLinearTime) {
  const std::string text(10U << 20U, 'x');
  const Outcome outcome = outcome_of("data: {\"choices\":[{\"delta\":{\"content\":\"" + text +
                                         "\"},\"finish_reason\":\"stop\"}]}"
                                         "\n\n",
                                     {.piece = 1U << 14U});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->text.size(), text.size());
}

// What only keeps a connection open is told apart from what moves a reply on.
TEST(KeepAlive, IsNotProgress) {
  const EndpointSpec spec = endpoint();
  ReplyStream stream(openai_chat(), spec);
  const HttpHead events = head("text/event-stream");
  using Next = HttpObserver::Next;
  EXPECT_EQ(stream.take(events, ": PROCESSING\n\n"), Next::kOnlyKeepAlive);
  EXPECT_EQ(stream.take(events, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"),
            Next::kGoOn);
  EXPECT_EQ(stream.take(events, "data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\n"),
            Next::kOnlyKeepAlive);
  EXPECT_EQ(stream.take(events, "data: {\"choi"), Next::kGoOn);
  EXPECT_EQ(stream.take(events, "ces\":[]}\n\ndata: [DONE]\n\n"), Next::kStop);
}

}  // namespace
}  // namespace ptxbatch
