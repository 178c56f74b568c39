#include "tests/quickstart/run_processes.h"

#include "common/file_system.h"
#include "results/lock_holder.h"

namespace ptxbatch {

std::vector<Process> named(const std::vector<Process>& tree, const std::string& name) {
  std::vector<Process> found;
  for (const Process& process : tree) {
    if (process.name == name) found.push_back(process);
  }
  return found;
}

std::vector<Process> coordinator(const std::vector<Process>& tree, const std::string& results) {
  const auto lock = read_text(results + ".lock");
  const auto holder = lock ? LockHolder::parse(*lock) : std::nullopt;
  std::vector<Process> found;
  for (const Process& process : named(tree, "ptxbatch")) {
    if (holder && process.pid == holder->pid) found.push_back(process);
  }
  return found;
}

std::vector<Process> working_ranks(const std::vector<Process>& tree, const std::string& results) {
  const std::vector<Process> zero = coordinator(tree, results);
  if (zero.empty()) return {};
  std::vector<Process> found;
  for (const Process& process : named(tree, "ptxbatch")) {
    if (process.pid != zero.front().pid) found.push_back(process);
  }
  return found;
}

std::vector<Process> compilers(const std::vector<Process>& tree) {
  std::vector<Process> found;
  for (const Process& process : named(tree, "cc1plus")) {
    for (const Process& parent : tree) {
      if (parent.pid == process.parent) found.push_back(parent);
    }
  }
  return found;
}

}  // namespace ptxbatch
