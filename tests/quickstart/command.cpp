#include "tests/quickstart/command.h"

#include <unistd.h>

#include <stdexcept>
#include <string_view>

#include "common/clock.h"

namespace ptxbatch {

ProcessSpec ptxbatch_command(const std::vector<std::string>& arguments) {
  ProcessSpec spec;
  spec.argv = {PTXBATCH_PROGRAM};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  spec.environment = tool_environment();
  return spec;
}

ProcessSpec mpi_command(int processes, const std::vector<std::string>& arguments) {
  ProcessSpec spec = ptxbatch_command(arguments);
  // A machine's own settings of Open MPI, which no tool needs but mpirun.
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("OMPI_MCA_")) spec.environment.emplace_back(*entry);
  }
  std::vector<std::string> launcher = {PTXBATCH_MPIEXEC, "--oversubscribe", "-n",
                                       std::to_string(processes)};
  if (::geteuid() == 0) launcher.emplace_back("--allow-run-as-root");
  spec.argv.insert(spec.argv.begin(), launcher.begin(), launcher.end());
  return spec;
}

ChildProcess start(const ProcessSpec& command) {
  auto child = ChildProcess::start(command);
  if (!child) throw std::runtime_error(describe(child.error()));
  return std::move(*child);
}

CommandEnd finish(ChildProcess& child, double timeout_s) {
  const ProcessEnd end = child.wait(deadline_in(timeout_s));
  return {end.kind == ProcessEnd::Kind::kExited ? end.exit_code : -1, child.output()};
}

CommandEnd run(const ProcessSpec& command, double timeout_s) {
  ChildProcess child = start(command);
  return finish(child, timeout_s);
}

CommandEnd ptxbatch(const std::vector<std::string>& arguments) {
  return run(ptxbatch_command(arguments));
}

std::string source_file(const std::string& path) {
  return std::string(PTXBATCH_SOURCE_DIR) + "/" + path;
}

}  // namespace ptxbatch
