#include "analysis/figures.h"

#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <system_error>

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

std::string stem_of(const FigureOptions& options, const Figure& figure) {
  return (std::filesystem::path(options.folder) / figure.name).string();
}

Status draw(const FigureOptions& options, const Figure& figure, const std::string& gnuplot,
            FigureFormat format) {
  const std::string stem = stem_of(options, figure);
  ProcessSpec spec;
  spec.argv = {gnuplot, "-e", "format='" + extension(format) + "'", figure.name + ".gp"};
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

Status write_numbers(const FigureOptions& options, const Figure& figure) {
  const std::string stem = stem_of(options, figure);
  if (auto done = write_text(stem + ".csv", figure.csv); !done) return fail(done.error());
  return write_text(stem + ".gp", figure.script);
}

}  // namespace

Result<std::vector<std::string>> write_figures(std::span<const Figure> figures,
                                               const FigureOptions& options) {
  if (auto done = make_folder(options.folder); !done) return fail(done.error());
  for (const Figure& figure : figures) {
    if (auto done = write_numbers(options, figure); !done) return fail(done.error());
  }
  const auto gnuplot = find_gnuplot(options.gnuplot);
  if (!gnuplot) return fail(gnuplot.error());

  std::vector<std::string> paths;
  for (const Figure& figure : figures) {
    const std::string stem = stem_of(options, figure);
    for (const FigureFormat format : options.formats) {
      if (auto done = draw(options, figure, *gnuplot, format); !done) return fail(done.error());
      paths.push_back(stem + "." + extension(format));
    }
    paths.push_back(stem + ".csv");
    paths.push_back(stem + ".gp");
  }
  return paths;
}

}  // namespace ptxbatch
