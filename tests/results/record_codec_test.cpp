#include "results/record_codec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/results/example_records.h"

namespace ptxbatch {
namespace {

using nlohmann::json;

json document_of(const Record& record) {
  return json::from_cbor(encode_record(record));
}

Result<Record> decode(const json& document) {
  std::string bytes;
  json::to_cbor(document, bytes);
  return decode_record(bytes);
}

void expect_round_trip(const std::vector<Record>& records) {
  for (const Record& record : records) {
    const auto decoded = decode_record(encode_record(record));
    ASSERT_TRUE(decoded) << describe(decoded.error());
    EXPECT_TRUE(same(*decoded, record)) << "record type " << record.index();
  }
}

TEST(RecordCodec, GivesBackEveryTypeWithEveryField) {
  expect_round_trip(example_records());
}

TEST(RecordCodec, GivesBackAnyBytesAndAnyNumbers) {
  expect_round_trip(hard_records());
}

TEST(RecordCodec, WritesOrdinaryTextAsTextAndOtherBytesAsAByteString) {
  EXPECT_TRUE(document_of(EventRecord{0, 0, 0, "caf\xC3\xA9", ""})["kind"].is_string());
  for (const char* not_utf8 : {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3",
                               "\xE2\x82", "\xE0\x80\x80", "\x80"}) {
    EXPECT_TRUE(document_of(EventRecord{0, 0, 0, not_utf8, ""})["kind"].is_binary());
  }
}

TEST(RecordCodec, NamesTheMissingField) {
  json document = document_of(TrajectoryEndRecord{1, TrajectoryEnd::kFailed, "x"});
  document.erase("message");
  const auto decoded = decode(document);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().kind, ErrorKind::kProtocol);
  EXPECT_EQ(decoded.error().key, "message");
}

TEST(RecordCodec, ReadsARecordFromBeforeAFieldWasAdded) {
  ReplyRecord reply;
  reply.text = "a reply";
  json document = document_of(reply);
  for (const char* field : {"model_requested", "fingerprint", "attempts", "first_text_s",
                            "usage_estimated", "reasoning_estimated"}) {
    ASSERT_EQ(document.erase(field), 1U);
  }
  const auto decoded = decode(document);
  ASSERT_TRUE(decoded) << describe(decoded.error());
  EXPECT_EQ(*decoded, Record(reply));
}

TEST(RecordCodec, NamesTheFieldInsideAList) {
  json document = document_of(example_records()[0]);
  document["trajectories"][2]["replica"] = "two";
  const auto decoded = decode(document);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().key, "trajectories[2].replica");
}

TEST(RecordCodec, RefusesNumbersThatDoNotFit) {
  const auto key_of_error = [](const char* field, const json& value) {
    json document = document_of(TurnRecord{});
    document[field] = value;
    const auto decoded = decode(document);
    return decoded ? std::string("accepted") : decoded.error().key;
  };
  EXPECT_EQ(key_of_error("turn", std::int64_t{1} << 31), "turn");
  EXPECT_EQ(key_of_error("turn", -(std::int64_t{1} << 31) - 1), "turn");
  EXPECT_EQ(key_of_error("turn", 1.5), "turn");
  EXPECT_EQ(key_of_error("label", kLabelCount), "label");
  EXPECT_EQ(key_of_error("label", -1), "label");
  EXPECT_EQ(key_of_error("input_seed", -1), "input_seed");
  EXPECT_EQ(key_of_error("measurement_reused", 1), "measurement_reused");
  EXPECT_EQ(key_of_error("speedup", "fast"), "speedup");
  EXPECT_EQ(key_of_error("timings", 3), "timings");
  EXPECT_EQ(key_of_error("stages", json::array()), "stages");
}

TEST(RecordCodec, IgnoresFieldsThatItDoesNotKnow) {
  const Record record = TrajectoryEndRecord{1, TrajectoryEnd::kFailed, "x"};
  json document = document_of(record);
  document["later_addition"] = {{"nested", json::array({1, 2})}};
  const auto decoded = decode(document);
  ASSERT_TRUE(decoded) << describe(decoded.error());
  EXPECT_EQ(*decoded, record);
}

TEST(RecordCodec, NamesAnUnknownType) {
  const auto decoded = decode({{"type", "surprise"}});
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().key, "type");
  EXPECT_NE(decoded.error().what.find("surprise"), std::string::npos);
}

TEST(RecordCodec, RefusesWhatIsNotACborMap) {
  for (const std::string& bytes :
       {std::string(), std::string("\xFF"), std::string("\x01"), std::string("hello"),
        std::string("\x9B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), std::string("\xA1\x61")}) {
    const auto decoded = decode_record(bytes);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().kind, ErrorKind::kProtocol);
  }
}

TEST(RecordCodec, RefusesEveryBeginningOfARecord) {
  const std::string bytes = encode_record(example_records()[4]);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_record(std::string_view(bytes).substr(0, size))) << size;
  }
}

TEST(RecordCodec, RefusesBytesBehindTheRecord) {
  EXPECT_FALSE(decode_record(encode_record(EventRecord{}) + '\0'));
}

}  // namespace
}  // namespace ptxbatch
