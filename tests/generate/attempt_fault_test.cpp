// Which failures are tried again, when, and what a user is told.
#include "ranks/generate/attempt_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using Kind = ModelFailure::Kind;

EndpointSpec endpoint() {
  EndpointSpec spec;
  spec.url = "https://models.example/v1";
  spec.model = "some-model";
  spec.api_key_env = "SOME_KEY";
  return spec;
}

AttemptFault fault(int status, const std::string& code = "", const std::string& message = "") {
  return fault_of_status(status, {0, code, message}, endpoint());
}

TEST(FaultOfStatus, RetriesWhatMayPass) {
  for (const int status : {408, 409, 425, 429, 500, 502, 503, 504, 520, 529}) {
    EXPECT_TRUE(fault(status).retry) << status;
    EXPECT_EQ(fault(status).kind, Kind::kTransport) << status;
  }
}

TEST(FaultOfStatus, NeverRetriesWhatWillNot) {
  for (const int status : {400, 401, 402, 403, 404, 405, 413, 422}) {
    EXPECT_FALSE(fault(status).retry) << status;
  }
  EXPECT_FALSE(fault(429, "insufficient_quota").retry);
}

TEST(FaultOfStatus, TellsTheModelsFaultsFromTheRequests) {
  for (const int status : {401, 402, 403, 404, 405}) {
    EXPECT_EQ(fault(status).kind, Kind::kModel) << status;
  }
  EXPECT_EQ(fault(400).kind, Kind::kRequest);
  EXPECT_EQ(fault(422).kind, Kind::kRequest);
  EXPECT_EQ(fault(400, "", "some-model is not a valid model ID").kind, Kind::kModel);
}

TEST(FaultOfStatus, APromptThatModerationRefusesIsNoFaultOfTheModel) {
  for (const char* words : {"Your chosen model requires moderation and your input was flagged",
                            "blocked by our content policy"}) {
    EXPECT_EQ(fault(403, "", words).kind, Kind::kRequest) << words;
    EXPECT_EQ(fault(403, "", words).cause, "moderation");
    EXPECT_FALSE(fault(403, "", words).retry);
  }
  EXPECT_EQ(fault(403, "", "Key limit exceeded").kind, Kind::kModel);
  EXPECT_EQ(fault(401, "", "moderation").kind, Kind::kModel);
}

TEST(FaultOfStatus, SaysHowToPutItRight) {
  EXPECT_THAT(fault(401).hint, HasSubstr("$SOME_KEY"));
  EXPECT_THAT(fault(404).hint, HasSubstr("https://models.example/v1"));
  EXPECT_THAT(fault(404).hint, HasSubstr("some-model"));
}

TEST(FaultOfStatus, KnowsAFullContextInEachProvidersWords) {
  EXPECT_TRUE(fault(400, "context_length_exceeded").context_exhausted);
  EXPECT_TRUE(
      fault(400, "", "This model's maximum context length is 8192 tokens.").context_exhausted);
  EXPECT_TRUE(fault(400, "exceed_context_size_error").context_exhausted);
  EXPECT_TRUE(fault(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000")
                  .context_exhausted);
  EXPECT_TRUE(fault(400, "INVALID_ARGUMENT",
                    "The input token count exceeds the maximum number of tokens allowed")
                  .context_exhausted);
  EXPECT_TRUE(fault(413).context_exhausted);
  EXPECT_FALSE(fault(400, "", "temperature must be at most 2").context_exhausted);
}

TEST(FaultOfTransfer, RetriesAllButCertificateAndAddress) {
  HttpEnd end;
  for (const auto kind :
       {HttpEnd::Kind::kResolve, HttpEnd::Kind::kConnect, HttpEnd::Kind::kCut,
        HttpEnd::Kind::kNoFirstByte, HttpEnd::Kind::kIdle, HttpEnd::Kind::kOnlyKeepAlives}) {
    end.kind = kind;
    EXPECT_TRUE(fault_of_transfer(end, endpoint()).retry);
  }
  for (const auto kind : {HttpEnd::Kind::kCertificate, HttpEnd::Kind::kUnusableRequest}) {
    end.kind = kind;
    EXPECT_FALSE(fault_of_transfer(end, endpoint()).retry);
    EXPECT_EQ(fault_of_transfer(end, endpoint()).kind, Kind::kModel);
  }
}

TEST(RetryAfter, IsSecondsOrADate) {
  constexpr double kNow = 1'445'412'470;  // Wed, 21 Oct 2015 07:27:50 GMT
  EXPECT_EQ(parse_retry_after("7", kNow), 7);
  EXPECT_EQ(parse_retry_after("1.5", kNow), 1.5);
  EXPECT_EQ(parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT", kNow), 10);
  EXPECT_EQ(parse_retry_after("Wed, 21 Oct 2015 07:27:00 GMT", kNow), 0);  // gone by
  for (const char* nonsense : {"", "soon", "-3", "inf", "nan"}) {
    EXPECT_EQ(parse_retry_after(nonsense, kNow), std::nullopt) << nonsense;
  }
}

TEST(Backoff, DoublesUpToItsLimitAndIsSpread) {
  RetrySettings settings;
  settings.first_delay_s = 1;
  settings.longest_delay_s = 60;
  EXPECT_EQ(backoff_s(settings, 1, std::nullopt, 1.0), 1);
  EXPECT_EQ(backoff_s(settings, 4, std::nullopt, 1.0), 8);
  EXPECT_EQ(backoff_s(settings, 4, std::nullopt, 0.25), 2);
  EXPECT_EQ(backoff_s(settings, 4, std::nullopt, 0.0), 0);
  EXPECT_EQ(backoff_s(settings, 500, std::nullopt, 1.0), 60);
}

TEST(Backoff, IsNeverShorterThanTheServerAsks) {
  const RetrySettings settings;
  for (const double random : {0.0, 0.5, 1.0}) {
    EXPECT_GE(backoff_s(settings, 1, 20.0, random), 20);
    EXPECT_LE(backoff_s(settings, 9, 20.0, random), 21);
  }
}

TEST(FirstBytes, AreOneLineOfText) {
  EXPECT_EQ(first_bytes("a\nb\x01\xFF"), "a b \xEF\xBF\xBD");
  EXPECT_EQ(first_bytes(std::string(500, 'x')), std::string(200, 'x') + "...");
}

}  // namespace
}  // namespace ptxbatch
