// ptxbatch show: the trajectories of a results file, the turns of one, or one turn's whole story;
// with --prompt what models are given.

#include "analysis/show.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/show_prompt.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

struct ShowCommand {
  PromptQuery query;  // file, trajectory and turn are for both
  bool prompt = false;
};

// Of a large file only what is shown is kept in memory.
Result<RunRecords> read_without_details(const std::string& file) {
  RunReadOptions options;
  options.detail_bytes = 0;
  return read_run(file, options);
}

Result<std::string> text_for(const PromptQuery& command, std::size_t width) {
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
  const std::size_t width = terminal_columns(STDOUT_FILENO).value_or(0);
  if (command.prompt) {
    const auto text = show_prompt(command.query, width);
    if (!text) return report(text.error());
    fmt::print("{}", *text);
    return kExitDone;
  }
  const auto text = text_for(command.query, width);
  if (!text) return report(text.error());
  fmt::print("{}", *text);
  return kExitDone;
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ShowCommand>();
  CLI::App* command =
      app.add_subcommand("show", "Show the trajectories of a results file, or one turn's story");
  PromptQuery& query = options->query;
  command
      ->add_option("FILE", query.file,
                   "Results file (NAME.h5); with --prompt also an experiment file (NAME.toml)")
      ->required();
  command->add_option("TRAJECTORY", query.trajectory,
                      "A trajectory's number, or its id where only one has it");
  command->add_option("TURN", query.turn, "A turn of it, from 0");
  CLI::Option* prompt = command->add_flag(
      "--prompt", options->prompt,
      "What the model is given: of a trajectory (before TURN), or by an experiment file");
  const auto add = [&](const char* name, std::string& value, const char* what) {
    command->add_option(name, value, what)->needs(prompt);
  };
  add("--model", query.model, "Of an experiment file: the model's row; default: the first");
  add("--target", query.target, "The target; default: the first");
  add("--problem", query.problem, "The problem's name; default: the first");
  add("--tag", query.tag, "The prompt tag; default: the first");
  command->add_flag("--json", query.json, "The messages as JSON")->needs(prompt);
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace ptxbatch
