// ptxbatch check --paper: every number of the paper's tables beside ours.

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/paper_check.h"
#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/installation.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

struct CheckCommand {
  std::vector<std::string> files;
  bool paper = false;
  std::string format = "terminal";
};

int check(const CheckCommand& command) {
  const auto values = read_paper_values(paper_values_folder());
  if (!values) return report(values.error());
  const auto loaded = read_turn_tables(command.files);
  if (!loaded) return report(loaded.error());
  const auto checked = check_paper(*loaded, *values);
  if (!checked) return report(checked.error());
  fmt::print("{}", render_check(*checked, *values, *table_format_from_name(command.format),
                                terminal_columns(STDOUT_FILENO).value_or(0)));
  const CheckCounts counts = count_cells(checked->cells);
  if (counts.compared() == 0) {
    return report(Error{ErrorKind::kInput,
                        fmt::format("no number could be held against the paper's: {} are missing, "
                                    "{} are of unfinished runs",
                                    counts.missing, counts.unfinished),
                        "'ptxbatch tables' shows what the files have.",
                        {},
                        0,
                        0,
                        {}});
  }
  return counts.unexplained == 0 ? kExitDone : kExitWithFailures;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CheckCommand>();
  CLI::App* command =
      app.add_subcommand("check", "Hold results files against the numbers that the paper prints");
  add_results_option(*command, options->files);
  command->add_flag("--paper", options->paper, "Against the paper's tables")->required();
  command->add_option("--format", options->format, "terminal or csv")
      ->check(CLI::IsMember({"terminal", "csv"}));
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace ptxbatch
