#include "ranks/problems/json_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace ptxbatch {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string text;
  for (const auto name : names) text += (text.empty() ? "'" : ", '") + std::string(name) + "'";
  return text;
}

/// nlohmann counts bytes from 1; the byte at fault is the last one that it read.
void set_position(Error& error, std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line_start = before.rfind('\n');
  if (error.line == 0)
    error.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  error.column = static_cast<int>(
      line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start);
}

/// "[json.exception.parse_error.101] parse error at line 1, column 5: WHAT" -> "WHAT"
std::string bare_message(const std::string& message) {
  const auto column = message.find("column ");
  const auto colon = message.find(": ", column == std::string::npos ? 0 : column);
  if (colon != std::string::npos) return message.substr(colon + 2);
  const auto bracket = message.find("] ");
  return bracket == std::string::npos ? message : message.substr(bracket + 2);
}

/// Sees every key as it is parsed: the parsed value itself keeps one of two equal keys.
class RepeatedKeys {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      open_objects_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_objects_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto name = parsed.get<std::string>();
      if (!open_objects_.back().insert(name).second && !first_) first_ = name;
    }
    return true;
  }
  [[nodiscard]] const std::optional<std::string>& first() const { return first_; }

 private:
  std::vector<std::set<std::string>> open_objects_;
  std::optional<std::string> first_;
};

}  // namespace

bool JsonNode::is_null() const {
  return value_ != nullptr && value_->is_null();
}

bool JsonNode::is_integer() const {
  return value_ != nullptr && value_->is_number_integer();
}

void JsonNode::reject(std::string what, std::string hint) const {
  if (fault_->first) return;
  fault_->first = Error{
      ErrorKind::kInput, std::move(what), std::move(hint), fault_->file, fault_->line, 0, key_};
}

void JsonNode::expected(std::string_view expectation) const {
  if (value_ == nullptr) {
    reject("missing; expected " + std::string(expectation));
  } else {
    reject("expected " + std::string(expectation) + ", found " + value_->dump());
  }
}

void JsonNode::expect_keys(std::initializer_list<std::string_view> required,
                           std::initializer_list<std::string_view> optional) const {
  std::vector<std::string_view> known(required);
  known.insert(known.end(), optional.begin(), optional.end());
  for (const auto& [name, member] : members()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      member.reject("unknown key", "Known here: " + quoted_list(known) + ".");
    }
  }
  for (const auto name : required) {
    if (!at(name).present()) at(name).reject("missing key");
  }
}

JsonNode JsonNode::at(std::string_view name) const {
  auto key = key_.empty() ? std::string(name) : key_ + "." + std::string(name);
  if (value_ == nullptr || !value_->is_object()) return {nullptr, std::move(key), fault_};
  const auto found = value_->find(std::string(name));
  return {found == value_->end() ? nullptr : &*found, std::move(key), fault_};
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  std::vector<std::pair<std::string, JsonNode>> result;
  if (value_ == nullptr || !value_->is_object()) {
    expected("an object");
    return result;
  }
  for (const auto& [name, member] : value_->items()) result.emplace_back(name, at(name));
  return result;
}

std::vector<JsonNode> JsonNode::elements() const {
  std::vector<JsonNode> result;
  if (value_ == nullptr || !value_->is_array()) {
    expected("an array");
    return result;
  }
  for (const auto& element : *value_) {
    result.emplace_back(&element, key_ + "[" + std::to_string(result.size()) + "]", fault_);
  }
  return result;
}

std::string JsonNode::text() const {
  if (value_ != nullptr && value_->is_string() && !value_->get_ref<const std::string&>().empty()) {
    return value_->get<std::string>();
  }
  expected("a string that is not empty");
  return {};
}

double JsonNode::number() const {
  if (value_ != nullptr && value_->is_number()) return value_->get<double>();
  expected("a number");
  return 0;
}

std::int64_t JsonNode::positive_integer() const {
  constexpr std::uint64_t kLargest = INT64_MAX;
  if (value_ != nullptr && value_->is_number_unsigned()) {
    const auto value = value_->get<std::uint64_t>();
    if (value > 0 && value <= kLargest) return static_cast<std::int64_t>(value);
  }
  expected("a positive integer");
  return 1;
}

JsonDocument::JsonDocument(std::unique_ptr<Json> value, std::unique_ptr<JsonFault> fault)
    : value_(std::move(value)), fault_(std::move(fault)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

Result<JsonDocument> JsonDocument::parse(std::string_view text, const std::string& file, int line) {
  Error error{ErrorKind::kInput, {}, {}, file, line, 0, {}};
  RepeatedKeys repeated;
  try {
    auto value = std::make_unique<Json>(
        Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
          return repeated(depth, event, parsed);
        }));
    if (repeated.first()) {
      error.key = *repeated.first();
      error.what = "given twice in one object";
      return fail(std::move(error));
    }
    return JsonDocument(std::move(value), std::make_unique<JsonFault>(JsonFault{file, line, {}}));
  } catch (const Json::parse_error& exception) {
    set_position(error, text, exception.byte);
    error.what = "not valid JSON: " + bare_message(exception.what());
  } catch (const Json::exception& exception) {
    error.what = "not valid JSON: " + bare_message(exception.what());
  }
  return fail(std::move(error));
}

JsonNode JsonDocument::root() const {
  return {value_.get(), {}, fault_.get()};
}

Status JsonDocument::status() const {
  if (fault_->first) return fail(*fault_->first);
  return {};
}

std::string JsonDocument::pretty_without(const std::string& left_out) const {
  auto copy = *value_;
  copy.erase(left_out);
  return copy.dump(2);
}

}  // namespace ptxbatch
