// ptxbatch status: show where a run stands.

#include "orchestrator/status.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"

namespace ptxbatch {
namespace {

int status(const std::string& file) {
  auto text = describe_status(file);
  if (!text) return report(text.error());
  fmt::print("{}", *text);
  return kExitDone;
}

}  // namespace

void add_status_command(CLI::App& app, int& exit_code) {
  const auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("status", "Show where a run stands, running or not");
  command->add_option("RESULTS", *file, "Results file (NAME.h5)")->required();
  command->callback([file, &exit_code] { exit_code = status(*file); });
}

}  // namespace ptxbatch
