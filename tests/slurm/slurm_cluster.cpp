#include "tests/slurm/slurm_cluster.h"

#include <unistd.h>

#include <sstream>
#include <stdexcept>
#include <thread>

#include "common/file_system.h"
#include "tests/quickstart/command.h"

namespace ptxbatch {
namespace {

constexpr double kStartS = 60;
constexpr double kCommandS = 60;
constexpr int kSkipped = 77;
constexpr auto kLookAgain = std::chrono::milliseconds(100);

std::string script(const std::string& name) {
  return source_file("tests/slurm/" + name);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The words "NAME=value" of the lines "export NAME=value NAME=value".
std::vector<std::string> exported(const std::string& text) {
  std::vector<std::string> variables;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.find('=') != std::string::npos) variables.push_back(word);
  }
  return variables;
}

}  // namespace

SlurmCluster::SlurmCluster() : environment_(tool_environment()) {
  const auto started = run({"/bin/bash", script("start_cluster.sh"), folder_.file("cluster"),
                            std::to_string(::getpid())});
  if (started.end.kind == ProcessEnd::Kind::kExited && started.end.exit_code == kSkipped) {
    unavailable_ = first_line(started.output);
    return;
  }
  const auto variables = read_text(folder_.file("cluster/environment"));
  if (!started.end.ok() || !variables) throw std::runtime_error("no Slurm: " + started.output);
  for (std::string& variable : exported(*variables)) environment_.push_back(std::move(variable));
}

SlurmCluster::~SlurmCluster() {
  run({"/bin/bash", script("stop_cluster.sh"), folder_.file("cluster")});
}

ProcessOutput SlurmCluster::run(std::vector<std::string> argv,
                                const std::vector<std::string>& variables) {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  if (auto program = find_program(spec.argv.front())) spec.argv.front() = *program;
  spec.environment = environment_;
  spec.environment.insert(spec.environment.end(), variables.begin(), variables.end());
  auto output = run_process(spec, kCommandS);
  if (!output) throw std::runtime_error(describe(output.error()));
  return std::move(*output);
}

std::string SlurmCluster::answer(std::vector<std::string> argv) {
  const std::string what = argv.front();
  const auto output = run(std::move(argv));
  if (!output.end.ok()) throw std::runtime_error(what + ": " + output.output);
  return first_line(output.output);
}

std::string SlurmCluster::state(const std::string& job) {
  const auto asked = run({"squeue", "--noheader", "--jobs", job, "--states=all", "--format=%T"});
  return asked.end.ok() ? first_line(asked.output) : "";
}

// A Slurm that is too busy to answer says nothing of the job.
bool SlurmCluster::ended(const std::string& job) {
  const std::string now = state(job);
  for (const char* end : {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"}) {
    if (now == end) return true;
  }
  return false;
}

bool wait_until(double patience_s, const std::function<bool()>& reached) {
  const Deadline deadline = deadline_in(patience_s);
  while (!reached()) {
    if (SteadyClock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

}  // namespace ptxbatch
