#include "results/lock_holder.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/file_system.h"
#include "common/squeue.h"

namespace ptxbatch {
namespace {

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string read_host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string read_boot_id() {
  std::string text = read_text("/proc/sys/kernel/random/boot_id").value_or("");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string read_pid_namespace() {
  std::array<char, 64> target{};
  const ssize_t size = ::readlink("/proc/self/ns/pid", target.data(), target.size());
  return size > 0 ? std::string(target.data(), static_cast<std::size_t>(size)) : "";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

struct ProcessState {
  char state = '?';
  std::uint64_t start_time = 0;
};

// Fields are counted from the last ')': the program's name before it may hold anything.
std::optional<ProcessState> process_state(pid_t pid) {
  const auto stat = read_text("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) return std::nullopt;
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat->substr(name_end + 1));
  constexpr int kFieldsBetween = 18;  // state is field 3, starttime field 22
  ProcessState result;
  fields >> result.state;
  std::string skipped;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  fields >> result.start_time;
  if (!fields) return std::nullopt;
  return result;
}

bool process_is_gone(const LockHolder& holder) {
  if (::kill(holder.pid, 0) != 0 && errno == ESRCH) return true;
  const auto state = process_state(holder.pid);
  if (!state) return false;  // hidden from us, yet there
  if (state->state == 'Z' || state->state == 'X') return true;
  return state->start_time != holder.process_start_time;
}

// The same number on another cluster is another job.
bool in_same_job(const LockHolder& holder, const LockHolder& observer) {
  return !holder.job_id.empty() && holder.job_id == observer.job_id &&
         holder.cluster == observer.cluster;
}

bool is_final(const std::string& job_state) {
  constexpr std::array kFinal = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE", "FAILED",
                                 "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "TIMEOUT"};
  return std::find(kFinal.begin(), kFinal.end(), job_state) != kFinal.end();
}

// As this cluster's Slurm says it of another job of this user: it may hide those of others.
bool job_has_ended(const LockHolder& holder, const LockHolder& observer) {
  const bool known_here = !holder.cluster.empty() && holder.cluster == observer.cluster &&
                          holder.user_id == observer.user_id;
  if (!known_here || holder.job_id.empty() || holder.job_id == observer.job_id) return false;
  const auto states = ask_squeue(holder.job_id, "%T");
  if (!states) return false;
  std::istringstream components(*states);
  for (std::string state; components >> state;) {
    if (!is_final(state)) return false;
  }
  return true;
}

}  // namespace

LockHolder LockHolder::current() {
  LockHolder holder;
  holder.host = read_host_name();
  holder.boot_id = read_boot_id();
  holder.pid_namespace = read_pid_namespace();
  holder.pid = ::getpid();
  if (const auto state = process_state(holder.pid)) holder.process_start_time = state->start_time;
  holder.cluster = environment_value("SLURM_CLUSTER_NAME");
  holder.job_id = environment_value("SLURM_JOB_ID");
  holder.job_restarts = std::strtoll(environment_value("SLURM_RESTART_COUNT").c_str(), nullptr, 10);
  holder.user_id = ::geteuid();
  holder.started_at = utc_now();
  return holder;
}

std::string LockHolder::to_text() const {
  const nlohmann::ordered_json document = {{"host", host},
                                           {"boot_id", boot_id},
                                           {"pid_namespace", pid_namespace},
                                           {"pid", pid},
                                           {"process_start_time", process_start_time},
                                           {"cluster", cluster},
                                           {"job_id", job_id},
                                           {"job_restarts", job_restarts},
                                           {"user_id", user_id},
                                           {"started_at", started_at}};
  return document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::optional<LockHolder> LockHolder::parse(const std::string& text) {
  try {
    const auto document = nlohmann::json::parse(text);
    LockHolder holder;
    document.at("host").get_to(holder.host);
    document.at("boot_id").get_to(holder.boot_id);
    document.at("pid_namespace").get_to(holder.pid_namespace);
    document.at("pid").get_to(holder.pid);
    document.at("process_start_time").get_to(holder.process_start_time);
    holder.cluster = document.value("cluster", "");  // not in locks of earlier versions
    document.at("job_id").get_to(holder.job_id);
    document.at("job_restarts").get_to(holder.job_restarts);
    holder.user_id = document.value("user_id", holder.user_id);
    document.at("started_at").get_to(holder.started_at);
    if (holder.pid <= 0) return std::nullopt;  // kill() would mean a group by it
    return holder;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string LockHolder::describe() const {
  std::string text = "process " + std::to_string(pid) + " on " + host;
  if (!job_id.empty()) text += " (Slurm job " + job_id + ")";
  return text + ", since " + started_at;
}

bool is_gone(const LockHolder& holder, const LockHolder& observer) {
  if (in_same_job(holder, observer) && holder.job_restarts < observer.job_restarts) return true;
  const bool same_host =
      holder.host == observer.host && !holder.boot_id.empty() && !observer.boot_id.empty();
  if (same_host && holder.boot_id != observer.boot_id) return true;
  if (same_host && holder.pid_namespace == observer.pid_namespace) return process_is_gone(holder);
  return job_has_ended(holder, observer);
}

}  // namespace ptxbatch
