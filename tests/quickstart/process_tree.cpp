#include "tests/quickstart/process_tree.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace ptxbatch {
namespace {

// /proc/PID/stat: "PID (NAME) STATE PARENT ..."; NAME may hold anything, so the last ')' ends it.
std::optional<Process> read_process(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const auto open = line.find('(');
  const auto close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  Process process;
  process.pid = std::stoi(line.substr(0, open));
  process.name = line.substr(open + 1, close - open - 1);
  char state = '?';
  std::istringstream fields(line.substr(close + 1));
  fields >> state >> process.parent;
  std::string skipped;
  for (int field = 5; field < 14; ++field) fields >> skipped;
  long user_ticks = 0;  // fields 14 and 15
  long system_ticks = 0;
  fields >> user_ticks >> system_ticks;
  process.cpu_s =
      static_cast<double>(user_ticks + system_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  if (state == 'Z' || state == 'X') return std::nullopt;  // ended, not yet collected
  return process;
}

std::vector<Process> all_processes() {
  std::vector<Process> processes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (auto process = read_process(entry.path())) processes.push_back(std::move(*process));
  }
  return processes;
}

}  // namespace

std::vector<Process> process_tree(pid_t root) {
  const std::vector<Process> all = all_processes();
  std::vector<Process> tree;
  for (const Process& process : all) {
    if (process.pid == root) tree.push_back(process);
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    for (const Process& process : all) {
      if (process.parent == tree[i].pid) tree.push_back(process);
    }
  }
  return tree;
}

ProcessHandles::ProcessHandles(const std::vector<Process>& processes) {
  for (const Process& process : processes) {
    UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
    if (handle.valid()) handles_.push_back(std::move(handle));  // else it has ended already
  }
}

void ProcessHandles::kill_all() const {
  for (const UniqueFd& handle : handles_) {
    ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
  }
}

bool ProcessHandles::wait_for_end(Deadline deadline) const {
  for (const UniqueFd& handle : handles_) {
    pollfd ended{handle.get(), POLLIN, 0};
    if (::poll(&ended, 1, poll_timeout_ms(deadline)) != 1) return false;
  }
  return true;
}

}  // namespace ptxbatch
