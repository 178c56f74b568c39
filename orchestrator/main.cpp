// The command line: puts the commands together. Each is a file in orchestrator/commands.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>

#include "common/log.h"
#include "common/version.h"
#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/usage_error.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/installation.h"
#include "orchestrator/report_error.h"

namespace ptxbatch {
namespace {

int dispatch(int argc, char** argv) {
  CLI::App app{"PTXBatch: PTXBench as a reproducible batch experiment", "ptxbatch"};
  app.set_version_flag("--version", fmt::format("ptxbatch {} ({})", kVersion, kGitCommit));
  app.require_subcommand(1);
  int exit_code = kExitDone;
  add_plan_command(app, exit_code);
  add_doctor_command(app, exit_code);
  add_run_command(app, exit_code);
  add_status_command(app, exit_code);
  add_recover_command(app, exit_code);
  add_tables_command(app, exit_code);
  add_export_command(app, exit_code);
  add_figures_command(app, exit_code);
  add_report_command(app, exit_code);
  add_show_command(app, exit_code);
  add_import_command(app, exit_code);
  add_check_command(app, exit_code);
  add_compare_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_end(app, error);
  }
  return exit_code;
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  // Results files are renamed into place and locked by NAME.h5.lock: HDF5's own lock is not needed,
  // and fails on some cluster file systems. The variable would have the last word over our setting.
  ::unsetenv("HDF5_USE_FILE_LOCKING");
  try {
    ptxbatch::start_log("", "");
    if (auto found = ptxbatch::check_home(); !found) return ptxbatch::report(found.error());
    return ptxbatch::dispatch(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ptxbatch: internal error: {}\n", error.what());
    return ptxbatch::kExitError;
  }
}
