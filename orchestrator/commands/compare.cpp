// ptxbatch compare: two results files cell by cell.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

struct CompareCommand {
  std::string first;
  std::string second;
  std::string format = "terminal";
  std::string speedup = "paper";
  std::vector<std::string> across;
  ComparisonOptions options;
};

int compare_files(const CompareCommand& command) {
  const auto loaded =
      read_turn_tables({command.first, command.second}, speedup_kind(command.speedup));
  if (!loaded) return report(loaded.error());
  const auto allows = [&](const char* what) {
    return std::find(command.across.begin(), command.across.end(), what) != command.across.end();
  };
  ComparisonOptions options = command.options;
  options.speedup = speedup_kind(command.speedup);
  options.across_devices = allows("devices");
  options.across_timing = allows("timing");
  options.across_judging = allows("judging");
  const auto comparison = compare(loaded->front(), loaded->back(), options);
  if (!comparison) return report(comparison.error());
  fmt::print("{}", render_comparison(*comparison, command.first, command.second,
                                     *table_format_from_name(command.format),
                                     terminal_columns(STDOUT_FILENO).value_or(0)));
  return kExitDone;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CompareCommand>();
  CLI::App* command = app.add_subcommand(
      "compare", "Compare two results files, cell by cell, and tell change from chance");
  command->add_option("FIRST", options->first, "Results file (NAME.h5)")->required();
  command->add_option("SECOND", options->second, "Results file (NAME.h5)")->required();
  command->add_option("--format", options->format, "terminal, markdown, csv or latex")
      ->check(CLI::IsMember({"terminal", "markdown", "csv", "latex"}));
  check_turn_limits(*command->add_option("--turns", options->options.turns,
                                         "Turn limits of the cells; default: 1,4,8. One beyond the "
                                         "runs' turns is the last of these"));
  command
      ->add_option("--across", options->across,
                   "Compare although these differ: devices, timing, judging, or several of them")
      ->delimiter(',')
      ->option_text("WHAT[,WHAT]")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"devices", "timing", "judging"}));
  add_speedup_option(*command, options->speedup);
  command->callback([options, &exit_code] { exit_code = compare_files(*options); });
}

}  // namespace ptxbatch
