// Server-sent events, whatever pieces they come in.
#include "ranks/generate/sse_parser.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ptxbatch {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

// The events of a stream that comes in pieces of `piece` bytes.
Events events_of(std::string_view stream, std::size_t piece) {
  Events events;
  SseParser parser(
      [&](std::string_view type, std::string_view data) { events.emplace_back(type, data); });
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    EXPECT_TRUE(parser.feed(stream.substr(at, piece)));
  }
  parser.finish();
  return events;
}

void expect_events(std::string_view stream, const Events& expected) {
  for (std::size_t piece = 1; piece <= stream.size() + 1; ++piece) {
    EXPECT_EQ(events_of(stream, piece), expected) << "pieces of " << piece << ": " << stream;
  }
}

TEST(SseParser, TakesEveryLineEndingInEverySplit) {
  const Events expected = {{"", "one"}, {"named", "two"}, {"", "three"}};
  for (const char* end : {"\n", "\r", "\r\n"}) {
    std::string stream;
    for (const char* line : {"data: one", "", "event: named", "data:two", "", ": a comment",
                             "data: three", "id: 4", "retry: 5", "unknown", ""}) {
      stream += std::string(line) + end;
    }
    expect_events(stream, expected);
  }
}

TEST(SseParser, JoinsSeveralDataLines) {
  expect_events("data: a\ndata:\ndata:  b\n\n", {{"", "a\n\n b"}});
}

TEST(SseParser, AnEventWithoutDataIsNone) {
  expect_events("event: ping\n\n\n\ndata: x\n\n", {{"", "x"}});
}

TEST(SseParser, TheLastEventNeedsNoBlankLine) {
  expect_events("data: a\n\ndata: b\n", {{"", "a"}, {"", "b"}});
  expect_events("data: a\n\ndata: b", {{"", "a"}, {"", "b"}});
}

TEST(SseParser, SkipsAByteOrderMark) {
  expect_events(
      "\xEF\xBB\xBF"
      "data: a\n\n",
      {{"", "a"}});
}

TEST(SseParser, CountsComments) {
  SseParser parser([](std::string_view, std::string_view) { FAIL(); });
  EXPECT_TRUE(parser.feed(": one\n\n:two\n\n:\n"));
  EXPECT_EQ(parser.comments(), 3U);
}

TEST(SseParser, RefusesAnEventWithoutEnd) {
  SseParser parser([](std::string_view, std::string_view) { FAIL(); }, 100);
  EXPECT_TRUE(parser.feed("data: "));
  bool went_on = true;
  for (int i = 0; i < 200 && went_on; ++i) went_on = parser.feed("x");
  EXPECT_FALSE(went_on);
  EXPECT_FALSE(parser.feed("\n\n"));
}

TEST(SseParser, ALineOfTenMegabytesIsAnEvent) {
  const std::string line(10U << 20U, 'x');
  const Events events = events_of("data: " + line + "\n\n", 1U << 14U);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].second.size(), line.size());
}

}  // namespace
}  // namespace ptxbatch
