#include "orchestrator/commands/support.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/timing_method.h"

namespace ptxbatch {
namespace {

/// A number that is the whole text.
template <class T>
std::optional<T> parsed(const std::string& text) {
  T number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<std::vector<TurnTable>> read_turn_tables(const std::vector<std::string>& files,
                                                SpeedupKind speedup) {
  std::vector<TurnTable> tables;
  for (const std::string& file : files) {
    auto table = read_turn_table(file);
    if (!table) return fail(table.error());
    if (speedup == SpeedupKind::kPaired && !has_speedups(*table, speedup)) {
      return fail(ErrorKind::kConflict, file + " has no paired speedups",
                  "Leave out --speedup paired.");
    }
    tables.push_back(std::move(*table));
  }
  return tables;
}

void add_results_option(CLI::App& command, std::vector<std::string>& files) {
  command.add_option("RESULTS", files, "Results files")->required();
}

void add_speedup_option(CLI::App& command, std::string& speedup) {
  command.add_option("--speedup", speedup, "Which speedup: paper (medians) or paired blocks")
      ->check(CLI::IsMember({"paper", "paired"}));
}

CLI::Validator whole_number_from(std::int64_t least) {
  const auto check = [least](const std::string& text) -> std::string {
    const auto number = parsed<std::int64_t>(text);
    if (number && *number >= least) return "";
    return fmt::format("'{}' is not a whole number from {} to {}", text, least,
                       std::numeric_limits<std::int64_t>::max());
  };
  return {check, ""};
}

CLI::Validator positive_amount() {
  const auto check = [](const std::string& text) -> std::string {
    const auto number = parsed<double>(text);
    if (number && *number > 0 && std::isfinite(*number)) return "";
    return fmt::format("'{}' is not a number above 0", text);
  };
  return {check, ""};
}

void check_turn_limits(CLI::Option& option) {
  option.delimiter(',')
      ->allow_extra_args(false)
      ->option_text("T[,T...]")
      ->check(CLI::Range(1, 1000));
}

SpeedupKind speedup_kind(const std::string& name) {
  return name == "paired" ? SpeedupKind::kPaired : SpeedupKind::kPaper;
}

}  // namespace ptxbatch
