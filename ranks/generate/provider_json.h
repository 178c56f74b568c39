// JSON as model servers send it, read forgivingly: what is missing, null or of another type counts
// as absent, and text that is not quite Unicode (a token cut in the middle of a character) is
// repaired instead of refused.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ptxbatch {

/// Nothing when the text is not JSON even after repair.
std::optional<nlohmann::json> parse_provider_json(std::string_view text);

/// The value at a path of keys; nullptr when a part of it is absent or null.
const nlohmann::json* json_at(const nlohmann::json& value,
                              std::initializer_list<std::string_view> path);
/// The string at a path, empty when there is none.
std::string text_at(const nlohmann::json& value, std::initializer_list<std::string_view> path);
/// The number at a path as a count; nothing when there is none, or it is negative.
std::optional<std::int64_t> count_at(const nlohmann::json& value,
                                     std::initializer_list<std::string_view> path);

}  // namespace ptxbatch
