// How much of a knowledge pack a model is given: the paper's Table 3 compares its levels. Each
// level holds the ones before it.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace ptxbatch {

enum class PackLevel { kNone, kParameters, kTemplates, kContract };

inline constexpr std::array<std::string_view, 4> kPackLevelNames = {"none", "parameters",
                                                                    "templates", "contract"};

inline std::string_view pack_level_name(PackLevel level) {
  return kPackLevelNames.at(static_cast<std::size_t>(level));
}

inline std::optional<PackLevel> pack_level_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kPackLevelNames.size(); ++i) {
    if (kPackLevelNames.at(i) == name) return static_cast<PackLevel>(i);
  }
  return std::nullopt;
}

}  // namespace ptxbatch
