// A user's JSON read strictly: every access says what it expects, and the first expectation that is
// not met is kept as an Error with file, line and key. Reading goes on with empty values, so that a
// reader states its expectations one after the other and asks once, at the end, whether all held.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

/// Where the first unmet expectation is kept.
struct JsonFault {
  std::string file;
  int line = 0;  // of every error: the line of a .jsonl file; 0 where a key is all that is known
  std::optional<Error> first;
};

/// One value of a document, or the absence of one. Valid as long as its document.
class JsonNode {
 public:
  JsonNode(const nlohmann::ordered_json* value, std::string key, JsonFault* fault)
      : value_(value), key_(std::move(key)), fault_(fault) {}

  [[nodiscard]] bool present() const { return value_ != nullptr; }
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_integer() const;
  [[nodiscard]] const std::string& key() const { return key_; }

  /// An object with all of `required` and nothing beyond `required` and `optional`.
  void expect_keys(std::initializer_list<std::string_view> required,
                   std::initializer_list<std::string_view> optional = {}) const;

  /// A member of an object; absent when there is none.
  [[nodiscard]] JsonNode at(std::string_view name) const;
  /// All members of an object in file order; reported when it is not an object.
  [[nodiscard]] std::vector<std::pair<std::string, JsonNode>> members() const;
  /// All elements of an array; reported when it is not an array.
  [[nodiscard]] std::vector<JsonNode> elements() const;

  [[nodiscard]] std::string text() const;  // a string that is not empty
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t positive_integer() const;

  /// Reports this value as wrong.
  void reject(std::string what, std::string hint = {}) const;

 private:
  void expected(std::string_view expectation) const;

  const nlohmann::ordered_json* value_;
  std::string key_;
  JsonFault* fault_;
};

class JsonDocument {
 public:
  /// Parses `text`, which came from `file`. A syntax error carries line and column; a key given
  /// twice in one object is an error. `line` is the line of a .jsonl file on which `text` stands,
  /// 0 when `text` is the whole file.
  static Result<JsonDocument> parse(std::string_view text, const std::string& file, int line = 0);

  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument();

  [[nodiscard]] JsonNode root() const;
  /// The first unmet expectation, if any.
  [[nodiscard]] Status status() const;
  /// Pretty-printed in file order, without the member `left_out` of the root.
  [[nodiscard]] std::string pretty_without(const std::string& left_out) const;

 private:
  JsonDocument(std::unique_ptr<nlohmann::ordered_json> value, std::unique_ptr<JsonFault> fault);

  std::unique_ptr<nlohmann::ordered_json> value_;
  std::unique_ptr<JsonFault> fault_;
};

}  // namespace ptxbatch
