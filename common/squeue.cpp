#include "common/squeue.h"

#include <cstdlib>

#include "common/process.h"

namespace ptxbatch {
namespace {

constexpr double kPatienceS = 30;

// Without Slurm's own variables, which may choose another cluster, or squeue's, which may leave
// jobs out.
std::vector<std::string> squeue_environment() {
  std::vector<std::string> environment = tool_environment();
  std::erase_if(environment, [](const std::string& entry) { return entry.starts_with("SQUEUE_"); });
  if (const char* conf = std::getenv("SLURM_CONF"); conf != nullptr) {
    environment.push_back(std::string("SLURM_CONF=") + conf);
  }
  return environment;
}

}  // namespace

Result<std::string> ask_squeue(const std::string& job, const std::string& format) {
  const auto squeue = find_program("squeue");
  if (!squeue) return fail(squeue.error());
  ProcessSpec spec;
  spec.argv = {*squeue, "--noheader", "--states=all", "--jobs", job, "--format=" + format};
  spec.environment = squeue_environment();
  auto asked = run_process(spec, kPatienceS);
  if (!asked) return fail(asked.error());
  if (asked->end.ok()) return std::move(asked->output);
  if (asked->output.find("Invalid job id specified") != std::string::npos) return std::string();
  return fail(ErrorKind::kSystem, "squeue: " + asked->output.substr(0, 200));
}

}  // namespace ptxbatch
