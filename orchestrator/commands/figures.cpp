// ptxbatch figures: draw the figures of results files.

#include "analysis/figures.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/figure_set.h"
#include "analysis/table_numbers.h"
#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"

namespace ptxbatch {
namespace {

struct FiguresCommand {
  std::vector<std::string> files;
  std::string figures;  // which ones; empty: those that suit any run
  std::string folder = "figures";
  std::string speedup = "paper";
};

tl::expected<FigureSet, std::vector<Error>> wanted_figures(const std::string& file) {
  if (file.empty()) return standard_figures();
  return read_figure_file(file);
}

int figures(const FiguresCommand& command) {
  const auto wanted = wanted_figures(command.figures);
  if (!wanted) return report(wanted.error());
  const auto tables = read_turn_tables(command.files, speedup_kind(command.speedup));
  if (!tables) return report(tables.error());
  for (const std::string& note : device_notes(*tables)) fmt::print(stderr, "note: {}\n", note);
  const auto drawn = make_figures(*wanted, *tables, speedup_kind(command.speedup));
  if (!drawn) return report(drawn.error());
  FigureOptions options;
  options.folder = command.folder;
  const auto written = write_figures(*drawn, options);
  if (!written) return report(written.error());
  for (const std::string& path : *written) fmt::print("{}\n", path);
  return kExitDone;
}

}  // namespace

void add_figures_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<FiguresCommand>();
  CLI::App* command =
      app.add_subcommand("figures", "Draw figures of results files (SVG, PDF, CSV)");
  add_results_option(*command, options->files);
  command->add_option("-o,--output", options->folder, "Folder for the figures; default: figures");
  command
      ->add_option("--figures", options->figures,
                   "Which figures to draw (TOML), such as experiments/paper/figures.toml")
      ->check(CLI::ExistingFile);
  add_speedup_option(*command, options->speedup);
  command->callback([options, &exit_code] { exit_code = figures(*options); });
}

}  // namespace ptxbatch
