// ptxbatch report: one self-contained HTML page about the runs in results files.

#include "analysis/report/report.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/output_file.h"

namespace ptxbatch {
namespace {

struct ReportCommand {
  std::vector<std::string> files;
  std::string output = "report.html";
  std::uint64_t details_megabytes = 256;
  std::string speedup = "paper";
};

Result<ReportInput> read_input(const ReportCommand& command) {
  ReportInput input;
  input.speedup = speedup_kind(command.speedup);
  auto tables = read_turn_tables(command.files, input.speedup);
  if (!tables) return fail(tables.error());
  input.tables = std::move(*tables);
  RunReadOptions options;
  options.detail_bytes = command.details_megabytes * 1'000'000 / command.files.size();
  for (const std::string& file : command.files) {
    auto run = read_run(file, options);
    if (!run) return fail(run.error());
    input.runs.push_back(std::move(*run));
  }
  return input;
}

int report_page(const ReportCommand& command) {
  if (auto fit = check_text_output(command.output, command.files); !fit) return report(fit.error());
  const auto input = read_input(command);
  if (!input) return report(input.error());
  const auto written = write_output(command.output, make_report(*input));
  if (!written) return report(written.error());
  fmt::print("{}\n", command.output);
  return kExitDone;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand(
      "report", "Write one self-contained HTML page about the runs in results files");
  add_results_option(*command, options->files);
  command->add_option("-o,--output", options->output, "The page; default: report.html");
  command
      ->add_option("--details", options->details_megabytes,
                   "Megabytes of texts and samples at most, before compression; default: 256")
      ->check(CLI::Range(0, 100000));
  add_speedup_option(*command, options->speedup);
  command->callback([options, &exit_code] { exit_code = report_page(*options); });
}

}  // namespace ptxbatch
