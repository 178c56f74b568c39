#include "analysis/judging.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/text.h"
#include "common/toml_table.h"

namespace ptxbatch {
namespace {

struct Setting {
  std::string_view section;
  std::string_view key;
  // As value_text gives it: the experiment file's, which is the paper's own
  // (docs/experiment_file.md).
  std::string_view standard;
};

constexpr std::array<Setting, 10> kSettings = {{{"protocol", "abs_tolerance", "0.01"},
                                                {"protocol", "rel_tolerance", "0.01"},
                                                {"protocol", "sanitizers", "memcheck"},
                                                {"protocol", "unclaimed_ms", "0.3"},
                                                {"protocol", "speedup", "paper"},
                                                {"budgets", "generate_s", "3600"},
                                                {"budgets", "compile_s", "120"},
                                                {"budgets", "sanitize_s", "120"},
                                                {"budgets", "evaluate_s", "30"},
                                                {"budgets", "evidence_s", "30"}}};

// Lists in one order: the first fault found ends a turn, whichever tool finds it.
std::string list_text(const toml::array& list) {
  std::vector<std::string> items;
  for (const toml::node& item : list) items.push_back(item.value_or(std::string()));
  std::sort(items.begin(), items.end());
  return items.empty() ? "none" : join(items, ", ");
}

std::string value_text(const toml::table& experiment, const Setting& setting) {
  const auto node = experiment[setting.section][setting.key];
  if (const auto* list = node.as_array()) return list_text(*list);
  if (const auto number = node.value<double>()) return fmt::format("{:g}", *number);
  return node.value_or(std::string(setting.standard));
}

void add_difference(std::string_view key, const std::string& first, const std::string& second,
                    std::vector<std::string>& differences) {
  if (first == second) return;
  differences.push_back(
      fmt::format("{} is {} in the first file and {} in the second", key, first, second));
}

toml::table experiment_of(const TurnTable& table) {
  auto parsed = parse_toml(table.experiment_text, "");
  return parsed ? std::move(*parsed) : toml::table();
}

}  // namespace

std::vector<std::string> judging_differences(const TurnTable& first, const TurnTable& second) {
  const toml::table of_first = experiment_of(first);
  const toml::table of_second = experiment_of(second);
  std::vector<std::string> differences;
  add_difference("target_speedup", fmt::format("{:g}", first.target_speedup),
                 fmt::format("{:g}", second.target_speedup), differences);
  for (const Setting& setting : kSettings) {
    add_difference(setting.key, value_text(of_first, setting), value_text(of_second, setting),
                   differences);
  }
  return differences;
}

}  // namespace ptxbatch
