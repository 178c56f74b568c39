// Messages survive the wire, and nothing else that comes over it is taken for one.
#include "ranks/profile/messages.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "ranks/profile/cbor_guard.h"
#include "ranks/profile/printable_text.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string cbor(const nlohmann::json& json) {
  std::string bytes;
  nlohmann::json::to_cbor(json, bytes);
  return bytes;
}

template <class T>
T through_the_wire(const T& message) {
  auto decoded = decode(encode(message));
  EXPECT_TRUE(decoded) << decoded.error().what;
  return std::get<T>(decoded.value());
}

TEST(Messages, KeepEveryFieldOfALoadRequest) {
  LoadCandidate sent;
  sent.nonce = UINT64_MAX;
  sent.binary = "/a/candidate.so";
  sent.scratch = "/scratch";
  sent.memory_limit_bytes = 1ULL << 40U;
  sent.inputs = {{{"Q", DataType::kBFloat16, {1, 2, 3}}, false, 0},
                 {{"scale", DataType::kFloat32, {}}, true, 0.125}};
  sent.outputs = {{"O", DataType::kFloat16, {4}}};
  sent.mappings = {{true, 8, 8192, 3}};
  const LoadCandidate got = through_the_wire(sent);
  EXPECT_EQ(got.nonce, UINT64_MAX);
  EXPECT_EQ(got.binary, sent.binary);
  EXPECT_EQ(got.scratch, sent.scratch);
  EXPECT_EQ(got.memory_limit_bytes, sent.memory_limit_bytes);
  EXPECT_EQ(got.inputs.at(0).tensor.type, DataType::kBFloat16);
  EXPECT_THAT(got.inputs.at(0).tensor.shape, ElementsAre(1, 2, 3));
  EXPECT_TRUE(got.inputs.at(1).is_scalar);
  EXPECT_EQ(got.inputs.at(1).scalar, 0.125);
  EXPECT_EQ(got.outputs.at(0).name, "O");
  EXPECT_TRUE(got.mappings.at(0).output);
  EXPECT_EQ(got.mappings.at(0).tensor_bytes, 8U);
  EXPECT_EQ(got.mappings.at(0).mapped_bytes, 8192U);
  EXPECT_EQ(got.mappings.at(0).descriptors, 3U);
}

TEST(Messages, KeepInfiniteErrors) {
  CallChecked sent;
  sent.errors = {{"C", INFINITY, NAN, 1.5, 10, 9, 8, 7, 6}};
  const OutputError got = through_the_wire(sent).errors.at(0);
  EXPECT_EQ(got.max_abs, INFINITY);
  EXPECT_TRUE(std::isnan(got.max_rel));
  EXPECT_EQ(got.rms_rel, 1.5);
  EXPECT_EQ(got.elements, 10);
  EXPECT_EQ(got.wrong, 9);
  EXPECT_EQ(got.not_finite, 8);
  EXPECT_EQ(got.never_written, 7);
  EXPECT_EQ(got.first_wrong, 6);
}

TEST(Messages, AFullListOfAddressesFitsIntoOne) {
  SetBreakpoints sent;
  sent.addresses.assign(kMaxAddressesPerMessage, UINT64_MAX);
  EXPECT_EQ(through_the_wire(sent).addresses.size(), kMaxAddressesPerMessage);
}

TEST(Messages, AMissingFieldIsNamed) {
  auto json =
      nlohmann::json::from_cbor(encode(RunReturned{7, 0.5, 0, "", "", false, false, "", ""}));
  json.erase("claimed_s");
  const auto refused = decode(cbor(json));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kProtocol);
  EXPECT_THAT(refused.error().what, HasSubstr("claimed_s"));
}

TEST(Messages, AFieldOfAnotherTypeIsNamed) {
  for (const nlohmann::json& wrong : {nlohmann::json("7"), nlohmann::json(-7), nlohmann::json(7.5),
                                      nlohmann::json(nullptr), nlohmann::json::array({7})}) {
    auto json =
        nlohmann::json::from_cbor(encode(RunReturned{7, 0.5, 0, "", "", false, false, "", ""}));
    json["nonce"] = wrong;
    const auto refused = decode(cbor(json));
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().what, HasSubstr("nonce"));
  }
}

TEST(Messages, AnUnknownTypeIsRefused) {
  EXPECT_FALSE(decode(cbor({{"type", 1000}, {"nonce", 1}})));
  EXPECT_FALSE(decode(cbor({{"type", -1}, {"nonce", 1}})));
  EXPECT_FALSE(decode(cbor({{"nonce", 1}})));
  EXPECT_FALSE(decode(cbor(nlohmann::json::array())));
}

TEST(Messages, EveryTruncationIsRefused) {
  const std::string whole =
      encode(RunReturned{7, 0.5, 0, "", "", false, true, "ValueError", "text"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode(std::string_view(whole).substr(0, size))) << size;
  }
  EXPECT_FALSE(decode(whole + "x"));
}

TEST(Messages, DamagedBytesAreRefusedOrStayWithinTheirTypes) {
  std::mt19937 random(1);
  const std::string whole =
      encode(RunReturned{7, 0.5, 0, "", "", false, true, "ValueError", "text"});
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = whole;
    for (int change = 0; change < 3; ++change) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const auto decoded = decode(damaged);
    if (!decoded) {
      ++refused;
    } else if (const auto* returned = std::get_if<RunReturned>(&*decoded)) {
      EXPECT_EQ(returned->error_text, printable_text(returned->error_text, 4096));
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(Messages, DeepNestingIsRefusedBeforeItIsParsed) {
  EXPECT_FALSE(decode(std::string(60'000, '\x81')));
  EXPECT_FALSE(decode(std::string(60'000, '\x7f')));
  EXPECT_FALSE(decode(std::string(60'000, '\xc1')));
}

TEST(CborGuard, AllowsWhatIsWithinTheDepthAndNoMore) {
  EXPECT_TRUE(is_plain_cbor(cbor({{"a", {1, 2, {3, "x", 1.5, true, nullptr}}}}), 3));
  EXPECT_FALSE(is_plain_cbor(cbor({{"a", {1, 2, {3, "x", 1.5, true, nullptr}}}}), 2));
}

TEST(CborGuard, RefusesCountsBeyondTheBytesThereAre) {
  EXPECT_FALSE(is_plain_cbor(std::string_view("\x9b\xff\xff\xff\xff\xff\xff\xff\xff", 9), 8));
  EXPECT_FALSE(is_plain_cbor(std::string_view("\xbb\x80\x00\x00\x00\x00\x00\x00\x00", 9), 8));
  EXPECT_FALSE(is_plain_cbor(std::string_view("\x7b\xff\xff\xff\xff\xff\xff\xff\xff", 9), 8));
  EXPECT_FALSE(is_plain_cbor("", 8));
}

TEST(PrintableText, ReplacesWhatIsNotUtf8AndKeepsWhatIs) {
  EXPECT_EQ(printable_text("a\xff\xc3\xa9\x01\n\t\xe2\x82\xac", 100),
            "a?\xc3\xa9?\n\t\xe2\x82\xac");
  EXPECT_EQ(printable_text("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80", 100), "?????????");
}

TEST(PrintableText, IsNotCutWithinACharacter) {
  EXPECT_EQ(printable_text("abc\xe2\x82\xac", 5), "abc");
  EXPECT_EQ(printable_text("abc\xe2\x82\xac", 6), "abc\xe2\x82\xac");
}

}  // namespace
}  // namespace ptxbatch
