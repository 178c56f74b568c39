// ptxbatch figures: draw the figures of results files.

#include "analysis/figures.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/figure_set.h"
#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"

namespace ptxbatch {
namespace {

struct FiguresCommand {
  std::vector<std::string> files;
  std::string folder = "figures";
  std::string speedup = "paper";
};

int figures(const FiguresCommand& command) {
  auto loaded = read_turn_tables(command.files);
  if (!loaded) return report(loaded.error());
  FigureOptions options;
  options.folder = command.folder;
  const std::vector<Figure> drawn = standard_figures(*loaded, speedup_kind(command.speedup));
  auto written = write_figures(drawn, options);
  if (!written) return report(written.error());
  for (const std::string& path : *written) fmt::print("{}\n", path);
  return kExitDone;
}

}  // namespace

void add_figures_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<FiguresCommand>();
  CLI::App* command = app.add_subcommand("figures", "Draw the Fast_p curves (SVG, PDF, CSV)");
  add_results_option(*command, options->files);
  command->add_option("-o,--output", options->folder, "Folder for the figures; default: figures");
  add_speedup_option(*command, options->speedup);
  command->callback([options, &exit_code] { exit_code = figures(*options); });
}

}  // namespace ptxbatch
