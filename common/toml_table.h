// Strict reading of TOML tables: every key that is asked for is remembered, whatever else stands in
// the file is an unknown key and an error. Errors carry file, line, column and dotted key, and are
// collected, so that a user sees all mistakes at once.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

/// Parses `text`; a syntax error names line and column of `file`.
Result<toml::table> parse_toml(const std::string& text, const std::string& file);

class TomlTable {
 public:
  /// `path` is the dotted key of this table, empty at the top. All references must outlive it.
  TomlTable(const toml::table& table, std::string path, const std::string& file,
            std::vector<Error>& errors);

  // Each getter returns the default when the key is absent, and after a mistake, which is added to
  // the errors. `what` in messages is made of the key and the expectation.
  std::string string(std::string_view key, std::string default_value = "");
  std::string required_string(std::string_view key);
  std::string choice(std::string_view key, std::string default_value,
                     std::initializer_list<std::string_view> allowed);
  std::int64_t integer(std::string_view key, std::int64_t default_value, std::int64_t least,
                       std::int64_t most);
  double number(std::string_view key, double default_value, double least, double most);
  /// Above 0, and finite.
  double positive_number(std::string_view key, double default_value);
  bool boolean(std::string_view key, bool default_value);
  std::vector<std::string> strings(std::string_view key);
  std::vector<std::int32_t> integers(std::string_view key, std::int64_t least, std::int64_t most);
  /// The tables of [[key]]; an error when there are none and `required`.
  std::vector<TomlTable> tables(std::string_view key, bool required);
  /// The table [key], empty when absent.
  std::optional<TomlTable> table(std::string_view key);
  /// A table of lists of strings: { gemm = ["a"], mha_fwd = ["b"] }.
  std::map<std::string, std::vector<std::string>> string_lists(std::string_view key);

  /// A table of strings: { Referer = "..." }.
  std::map<std::string, std::string> string_map(std::string_view key);
  /// The table [key] as a JSON object, whatever it holds; empty when absent.
  std::string json(std::string_view key);
  /// Whether the key is there. Asking makes it a known one.
  [[nodiscard]] bool has(std::string_view key) { return find(key) != nullptr; }

  /// Adds an error at `key` of this table (or at the table itself when the key is absent).
  void error(std::string_view key, std::string what, std::string hint = "");
  /// Adds an error for each key that nothing asked for. Call it last.
  void reject_unknown_keys();

  [[nodiscard]] int line() const;

 private:
  const toml::node* find(std::string_view key);
  /// Absent after a mistake too.
  std::optional<double> any_number(std::string_view key);
  [[nodiscard]] std::string dotted(std::string_view key) const;
  std::vector<std::string> strings_of(const toml::node& node, std::string_view key);

  const toml::table* table_;
  std::string path_;
  const std::string* file_;
  std::vector<Error>* errors_;
  std::set<std::string, std::less<>> known_;
};

/// The entry of `known` closest to `word` by edit distance; empty when none is close.
std::string closest_word(std::string_view word, const std::set<std::string, std::less<>>& known);

}  // namespace ptxbatch
