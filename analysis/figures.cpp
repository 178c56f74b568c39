#include "analysis/figures.h"

#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <system_error>

#include "analysis/gnuplot_script.h"
#include "analysis/panels.h"
#include "common/file_system.h"
#include "common/process.h"

namespace ptxbatch {
namespace {

std::string extension(FigureFormat format) {
  return format == FigureFormat::kPdf ? "pdf" : "svg";
}

Status make_folder(const std::string& folder) {
  if (folder.empty()) return {};  // the working folder
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(system_error("cannot make the folder " + folder, error.value()));
  return {};
}

std::string how_it_ended(const ProcessOutput& run, double timeout_s) {
  switch (run.end.kind) {
    case ProcessEnd::Kind::kTimedOut:
      return fmt::format("did not end within {:g} s", timeout_s);
    case ProcessEnd::Kind::kSignaled:
      return "was killed by signal " + std::to_string(run.end.signal);
    default:
      return "ended with exit code " + std::to_string(run.end.exit_code);
  }
}

Status draw(const FigureOptions& options, const std::string& stem, const std::string& gnuplot,
            FigureFormat format) {
  ProcessSpec spec;
  spec.argv = {gnuplot, "-e", "format='" + extension(format) + "'", options.name + ".gp"};
  spec.environment = tool_environment();
  spec.working_directory = options.folder;
  const auto run = run_process(spec, options.timeout_s);
  if (!run) return fail(run.error());
  if (run->end.ok()) return {};
  return fail(ErrorKind::kSystem,
              gnuplot + " " + how_it_ended(*run, options.timeout_s) + " on " + stem + ".gp" +
                  (run->output.empty() ? "" : ":\n" + run->output),
              "The numbers are in " + stem +
                  ".csv. gnuplot 5.2 or newer with the svg and pdfcairo terminals is needed "
                  "(Debian package gnuplot-nox).");
}

Result<std::string> find_gnuplot(const std::string& name) {
  auto found = find_program(name);
  if (found) return found;
  Error error = found.error();
  error.hint = "Install gnuplot (Debian package gnuplot-nox), or name it with its path.";
  return fail(std::move(error));
}

}  // namespace

Result<std::vector<std::string>> write_figures(const std::vector<TurnTable>& tables,
                                               const FigureOptions& options) {
  const std::string stem = (std::filesystem::path(options.folder) / options.name).string();
  const PanelGrid grid = make_panels(tables, options.speedup);
  if (auto made = make_folder(options.folder); !made) return fail(made.error());
  if (auto written = write_text(stem + ".csv", panels_csv(grid)); !written) {
    return fail(written.error());
  }
  if (auto written = write_text(stem + ".gp", gnuplot_script(grid, options.name)); !written) {
    return fail(written.error());
  }
  const auto gnuplot = find_gnuplot(options.gnuplot);
  if (!gnuplot) return fail(gnuplot.error());

  std::vector<std::string> paths;
  for (const FigureFormat format : options.formats) {
    if (auto drawn = draw(options, stem, *gnuplot, format); !drawn) return fail(drawn.error());
    paths.push_back(stem + "." + extension(format));
  }
  paths.push_back(stem + ".csv");
  paths.push_back(stem + ".gp");
  return paths;
}

}  // namespace ptxbatch
