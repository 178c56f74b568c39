// ptxbatch tables: print the tables of results files, or those of the paper made from them.

#include "analysis/tables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/paper_tables.h"
#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/installation.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

struct TablesCommand {
  std::vector<std::string> files;
  std::string format = "terminal";
  std::vector<std::int32_t> turns = {1, 4, 8};
  bool turns_asked_for = false;
  std::string speedup = "paper";
  std::vector<std::int32_t> paper;  // numbers of its tables; none: those of the run
  bool intervals = false;
  double min_coverage = 0;
};

int missing_files() {
  return report(Error{ErrorKind::kUsage,
                      "RESULTS is required",
                      "Name one or more results files (NAME.h5).",
                      {},
                      0,
                      0,
                      {}});
}

// Tables one below the other. CSV of several tables is one file when they have the same columns.
std::string put_together(const std::vector<std::string>& texts, TableFormat format) {
  std::string result = texts.front();
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const std::string header = texts[i].substr(0, texts[i].find('\n') + 1);
    const bool goes_on = format == TableFormat::kCsv && texts.front().starts_with(header);
    result += goes_on ? texts[i].substr(header.size()) : "\n" + texts[i];
  }
  return result;
}

int paper_tables(const TablesCommand& command) {
  const auto values = read_paper_values(paper_values_folder());
  if (!values) return report(values.error());
  const bool needed = std::any_of(command.paper.begin(), command.paper.end(),
                                  [&](std::int32_t n) { return needs_results(*values, n); });
  if (needed && command.files.empty()) return missing_files();
  const auto loaded = read_turn_tables(command.files);
  if (!loaded) return report(loaded.error());
  PaperTableOptions options;
  options.format = *table_format_from_name(command.format);
  options.intervals = command.intervals;
  options.width = terminal_columns(STDOUT_FILENO).value_or(0);
  for (const char* target : {"hopper", "blackwell"}) {
    options.packs.push_back(knowledge_pack_folder(target) + "/pack.toml");
  }
  std::vector<std::string> texts;
  for (const std::int32_t number : command.paper) {
    auto text = render_paper_table(*loaded, *values, paper_values_folder(), number, options);
    if (!text) return report(text.error());
    texts.push_back(std::move(*text));
  }
  fmt::print("{}", put_together(texts, options.format));
  return kExitDone;
}

// Apart from the tables, which may be CSV for a program.
void note_limits(const TablesCommand& command, const std::vector<TurnTable>& tables) {
  std::int32_t most = 0;
  for (const TurnTable& table : tables) most = std::max(most, table.max_turns);
  const bool beyond = std::any_of(command.turns.begin(), command.turns.end(),
                                  [most](std::int32_t limit) { return limit > most; });
  if (!command.turns_asked_for || !beyond) return;
  fmt::print(stderr, "note: trajectories have {} turns at most; a limit beyond that is {}\n", most,
             most);
}

int run_tables(const TablesCommand& command) {
  if (command.files.empty()) return missing_files();
  const auto loaded = read_turn_tables(command.files, speedup_kind(command.speedup));
  if (!loaded) return report(loaded.error());
  note_limits(command, *loaded);
  TableOptions options;
  options.format = *table_format_from_name(command.format);
  options.turns = command.turns;
  options.speedup = speedup_kind(command.speedup);
  options.intervals = command.intervals;
  options.min_coverage = command.min_coverage;
  options.width = terminal_columns(STDOUT_FILENO).value_or(0);
  fmt::print("{}", render_tables(*loaded, options));
  return kExitDone;
}

}  // namespace

void add_tables_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<TablesCommand>();
  CLI::App* command = app.add_subcommand("tables", "Print the tables of results files");
  command->add_option("RESULTS", options->files, "Results files");
  command->add_option("--format", options->format, "terminal, markdown, csv or latex")
      ->check(CLI::IsMember({"terminal", "markdown", "csv", "latex"}));
  CLI::Option* turns =
      command->add_option("--turns", options->turns,
                          "Turn limits of the cells; default: 1,4,8. One beyond the run's turns is "
                          "the last of these");
  check_turn_limits(*turns);
  CLI::Option* paper =
      command->add_option("--paper", options->paper, "Tables of the paper, by number: 1 or 1,7")
          ->delimiter(',')
          ->option_text("N[,N...]")
          ->check(CLI::Range(1, 10))
          ->allow_extra_args(false)
          ->excludes(turns);
  command->add_flag("--ci", options->intervals, "Each number with its 95 % interval");
  CLI::Option* coverage =
      command
          ->add_option(
              "--min-coverage", options->min_coverage,
              "Count the target instruction only where it did this share of the operations")
          ->check(CLI::Range(0.0, 1.0));
  paper->excludes(coverage);
  add_speedup_option(*command, options->speedup);
  paper->excludes(command->get_option("--speedup"));  // the paper has its own
  command->callback([options, turns, &exit_code] {
    options->turns_asked_for = turns->count() > 0;
    exit_code = options->paper.empty() ? run_tables(*options) : paper_tables(*options);
  });
}

}  // namespace ptxbatch
