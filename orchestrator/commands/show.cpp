// ptxbatch show: the trajectories of a results file, the turns of one, or one turn's whole story.

#include "analysis/show.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

struct ShowCommand {
  std::string file;
  std::string trajectory;
  std::optional<std::int32_t> turn;
};

// Of a large file only what is shown is kept in memory.
Result<RunRecords> read_without_details(const std::string& file) {
  RunReadOptions options;
  options.detail_bytes = 0;
  return read_run(file, options);
}

Result<std::string> text_for(const ShowCommand& command) {
  const std::size_t width = terminal_columns(STDOUT_FILENO).value_or(0);
  auto run = read_without_details(command.file);
  if (!run) return fail(run.error());
  if (command.trajectory.empty()) return show_trajectories(*run, width);
  const auto trajectory = find_trajectory(run->experiment, command.file, command.trajectory);
  if (!trajectory) return fail(trajectory.error());
  if (!command.turn) return show_trajectory(*run, *trajectory, width);
  RunReadOptions only;
  only.only_trajectory = *trajectory;
  auto detailed = read_run(command.file, only);
  if (!detailed) return fail(detailed.error());
  return show_turn(*detailed, *trajectory, *command.turn, width);
}

int show(const ShowCommand& command) {
  const auto text = text_for(command);
  if (!text) return report(text.error());
  fmt::print("{}", *text);
  return kExitDone;
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ShowCommand>();
  CLI::App* command =
      app.add_subcommand("show", "Show the trajectories of a results file, or one turn's story");
  command->add_option("RESULTS", options->file, "Results file (NAME.h5)")->required();
  command->add_option("TRAJECTORY", options->trajectory,
                      "A trajectory's number, or its id where only one has it");
  command->add_option("TURN", options->turn, "A turn of it, from 0");
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace ptxbatch
