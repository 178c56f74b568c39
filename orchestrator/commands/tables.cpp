// ptxbatch tables: print the tables of results files.

#include "analysis/tables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

struct TablesCommand {
  std::vector<std::string> files;
  std::string format = "terminal";
  std::vector<std::int32_t> turns = {1, 4, 8};
  std::string speedup = "paper";
};

int tables(const TablesCommand& command) {
  auto loaded = read_turn_tables(command.files);
  if (!loaded) return report(loaded.error());
  TableOptions options;
  options.format = *table_format_from_name(command.format);
  options.turns = command.turns;
  options.speedup = speedup_kind(command.speedup);
  options.width = terminal_columns(STDOUT_FILENO).value_or(0);
  fmt::print("{}", render_tables(*loaded, options));
  return kExitDone;
}

}  // namespace

void add_tables_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<TablesCommand>();
  CLI::App* command = app.add_subcommand("tables", "Print the tables of results files");
  add_results_option(*command, options->files);
  command->add_option("--format", options->format, "terminal, markdown, csv or latex")
      ->check(CLI::IsMember({"terminal", "markdown", "csv", "latex"}));
  command->add_option("--turns", options->turns, "Turn limits of the cells")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000));
  add_speedup_option(*command, options->speedup);
  command->callback([options, &exit_code] { exit_code = tables(*options); });
}

}  // namespace ptxbatch
