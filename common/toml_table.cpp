#include "common/toml_table.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

namespace ptxbatch {
namespace {

std::string type_name(const toml::node& node) {
  std::ostringstream text;
  text << node.type();
  return text.str();
}

// "a string" but "an integer".
std::string with_article(const std::string& noun) {
  const bool vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + noun;
}

std::string wrong_type(const toml::node& node, const std::string& expected) {
  return "is " + with_article(type_name(node)) + ", expected " + expected;
}

template <class T>
std::string range_text(T least, T most) {
  if (most == std::numeric_limits<T>::max()) return fmt::format("at least {}", least);
  return fmt::format("between {} and {}", least, most);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

std::string list_of(const std::set<std::string, std::less<>>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::string closest_word(std::string_view word, const std::set<std::string, std::less<>>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

Result<toml::table> parse_toml(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    Error wrong;
    wrong.kind = ErrorKind::kInput;
    wrong.what = std::string(error.description());
    wrong.hint = "The file must be valid TOML 1.0.";
    wrong.file = file;
    wrong.line = static_cast<int>(error.source().begin.line);
    wrong.column = static_cast<int>(error.source().begin.column);
    return fail(std::move(wrong));
  }
}

TomlTable::TomlTable(const toml::table& table, std::string path, const std::string& file,
                     std::vector<Error>& errors)
    : table_(&table), path_(std::move(path)), file_(&file), errors_(&errors) {}

int TomlTable::line() const {
  return static_cast<int>(table_->source().begin.line);
}

std::string TomlTable::dotted(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

const toml::node* TomlTable::find(std::string_view key) {
  known_.emplace(key);
  return table_->get(key);
}

void TomlTable::error(std::string_view key, std::string what, std::string hint) {
  const toml::node* node = key.empty() ? nullptr : table_->get(key);
  const toml::source_position at = node != nullptr ? node->source().begin : table_->source().begin;
  Error wrong;
  wrong.kind = ErrorKind::kInput;
  wrong.what = std::move(what);
  wrong.hint = std::move(hint);
  wrong.file = *file_;
  wrong.line = static_cast<int>(at.line);
  wrong.column = static_cast<int>(at.column);
  wrong.key = dotted(key);
  errors_->push_back(std::move(wrong));
}

std::string TomlTable::string(std::string_view key, std::string default_value) {
  const toml::node* node = find(key);
  if (node == nullptr) return default_value;
  if (const auto* text = node->as_string(); text != nullptr) return text->get();
  error(key, wrong_type(*node, "a string in quotes"));
  return default_value;
}

std::string TomlTable::required_string(std::string_view key) {
  if (find(key) == nullptr) {
    error(key, "is missing", "Add a line: " + std::string(key) + " = \"...\"");
    return "";
  }
  std::string text = string(key);
  if (text.empty() && table_->get(key)->is_string()) error(key, "must not be empty");
  return text;
}

std::string TomlTable::choice(std::string_view key, std::string default_value,
                              std::initializer_list<std::string_view> allowed) {
  std::string value = string(key, default_value);
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
  const std::set<std::string, std::less<>> words(allowed.begin(), allowed.end());
  error(key, "'" + value + "' is not known here", "Expected one of: " + list_of(words) + ".");
  return default_value;
}

std::int64_t TomlTable::integer(std::string_view key, std::int64_t default_value,
                                std::int64_t least, std::int64_t most) {
  const toml::node* node = find(key);
  if (node == nullptr) return default_value;
  const auto* value = node->as_integer();
  if (value == nullptr) {
    error(key, wrong_type(*node, "an integer"));
    return default_value;
  }
  if (value->get() >= least && value->get() <= most) return value->get();
  error(key, "is " + std::to_string(value->get()) + ", expected " + range_text(least, most));
  return default_value;
}

std::optional<double> TomlTable::any_number(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value) error(key, wrong_type(*node, "a number"));
  return value;
}

double TomlTable::number(std::string_view key, double default_value, double least, double most) {
  const auto value = any_number(key);
  if (!value) return default_value;
  if (*value >= least && *value <= most) return *value;
  error(key, fmt::format("is {:g}, expected {}", *value, range_text(least, most)));
  return default_value;
}

double TomlTable::positive_number(std::string_view key, double default_value) {
  const auto value = any_number(key);
  if (!value) return default_value;
  if (*value > 0 && std::isfinite(*value)) return *value;
  error(key, fmt::format("is {:g}, expected more than 0", *value));
  return default_value;
}

bool TomlTable::boolean(std::string_view key, bool default_value) {
  const toml::node* node = find(key);
  if (node == nullptr) return default_value;
  if (const auto* value = node->as_boolean(); value != nullptr) return value->get();
  error(key, wrong_type(*node, "true or false"));
  return default_value;
}

std::vector<std::string> TomlTable::strings_of(const toml::node& node, std::string_view key) {
  std::vector<std::string> result;
  const toml::array* array = node.as_array();
  if (array == nullptr || !(array->empty() || array->is_homogeneous(toml::node_type::string))) {
    error(key, wrong_type(node, R"(a list of strings, as in ["a", "b"])"));
    return result;
  }
  for (const toml::node& item : *array) result.push_back(item.as_string()->get());
  return result;
}

std::vector<std::string> TomlTable::strings(std::string_view key) {
  const toml::node* node = find(key);
  return node == nullptr ? std::vector<std::string>{} : strings_of(*node, key);
}

std::vector<std::int32_t> TomlTable::integers(std::string_view key, std::int64_t least,
                                              std::int64_t most) {
  std::vector<std::int32_t> result;
  const toml::node* node = find(key);
  if (node == nullptr) return result;
  const toml::array* array = node->as_array();
  if (array == nullptr || !(array->empty() || array->is_homogeneous(toml::node_type::integer))) {
    error(key, wrong_type(*node, "a list of integers, as in [0, 1]"));
    return result;
  }
  for (const toml::node& item : *array) {
    const std::int64_t value = item.as_integer()->get();
    if (value < least || value > most) {
      error(key, "has " + std::to_string(value) + ", expected " + range_text(least, most));
      continue;
    }
    result.push_back(static_cast<std::int32_t>(value));
  }
  return result;
}

std::vector<TomlTable> TomlTable::tables(std::string_view key, bool required) {
  std::vector<TomlTable> result;
  const toml::node* node = find(key);
  const std::string header = "[[" + dotted(key) + "]]";
  if (node == nullptr) {
    if (required) error(key, "is missing", "Add at least one " + header + " table.");
    return result;
  }
  const toml::array* array = node->as_array();
  if (array == nullptr || array->empty() || !array->is_homogeneous(toml::node_type::table)) {
    error(key, wrong_type(*node, "one or more " + header + " tables"));
    return result;
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    result.emplace_back(*array->get(i)->as_table(), dotted(key) + "[" + std::to_string(i) + "]",
                        *file_, *errors_);
  }
  return result;
}

std::optional<TomlTable> TomlTable::table(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const toml::table* found = node->as_table(); found != nullptr) {
    return TomlTable(*found, dotted(key), *file_, *errors_);
  }
  error(key, wrong_type(*node, "a table [" + dotted(key) + "]"));
  return std::nullopt;
}

std::map<std::string, std::vector<std::string>> TomlTable::string_lists(std::string_view key) {
  std::map<std::string, std::vector<std::string>> result;
  auto lists = table(key);
  if (!lists) return result;
  for (const auto& [name, node] : *lists->table_) {
    result[std::string(name.str())] = lists->strings_of(node, name.str());
  }
  return result;
}

std::map<std::string, std::string> TomlTable::string_map(std::string_view key) {
  std::map<std::string, std::string> result;
  auto strings = table(key);
  if (!strings) return result;
  for (const auto& [name, node] : *strings->table_) {
    result[std::string(name.str())] = strings->string(name.str());
  }
  return result;
}

std::string TomlTable::json(std::string_view key) {
  const auto found = table(key);
  if (!found) return "";
  std::ostringstream text;
  text << toml::json_formatter(*found->table_);
  return text.str();
}

void TomlTable::reject_unknown_keys() {
  for (const auto& [key, node] : *table_) {
    if (known_.contains(key.str())) continue;
    const std::string close = closest_word(key.str(), known_);
    error(key.str(), "is not known here",
          close.empty() ? "Known keys: " + list_of(known_) + "."
                        : "Did you mean '" + close + "'? Known keys: " + list_of(known_) + ".");
  }
}

}  // namespace ptxbatch
