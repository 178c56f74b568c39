#include "tests/profile/judge_fixture.h"

#include <sched.h>

#include <filesystem>
#include <fstream>

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;

Tensor tensor(std::string name, std::vector<std::int64_t> shape) {
  return {std::move(name), DataType::kFloat32, std::move(shape)};
}
Argument input(std::string name, std::vector<std::int64_t> shape) {
  return {tensor(std::move(name), std::move(shape)), false, 0};
}

ScratchFolder make_scratch() {
  auto folder = ScratchFolder::make(::testing::TempDir(), "judge-");
  return std::move(folder.value());
}

template <class Wanted>
std::vector<pid_t> processes(const Wanted& wanted) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (wanted(entry.path())) found.push_back(std::stoi(name));
  }
  return found;
}

/// The text behind "KEY:\t" in /proc/PID/status.
std::string status_field(const fs::path& process, const std::string& key) {
  std::ifstream file(process / "status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key + ":\t")) return line.substr(key.size() + 2);
  }
  return {};
}

/// A core that this process may use.
int usable_core() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  for (int core = CPU_SETSIZE - 1; core > 0; --core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) return core;
  }
  return 0;
}

}  // namespace

Problem gemm_problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem;
  problem.definition = "gemm_test";
  problem.op_type = "gemm";
  problem.workload = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  problem.axes = {{"M", m}, {"N", n}, {"K", k}};
  problem.inputs = {input("A", {m, k}), input("B", {n, k})};
  problem.outputs = {tensor("C", {m, n})};
  return problem;
}

Problem mha_problem() {
  const std::vector<std::int64_t> shape{1, 2, 24, 16};
  Problem problem;
  problem.definition = "mha_test";
  problem.op_type = "mha_fwd";
  problem.workload = "small";
  problem.axes = {{"B", 1}, {"H", 2}, {"S", 24}, {"D", 16}};
  problem.inputs = {input("Q", shape), input("K", shape), input("V", shape)};
  problem.outputs = {tensor("O", shape), tensor("LSE", {1, 2, 24})};
  return problem;
}

std::string candidate(const std::string& name) {
  return std::string(CANDIDATES "/") + name + ".so";
}
std::string dying_keeper_program() {
  return DYING_KEEPER_PROGRAM;
}
std::string monitored_keeper_program() {
  return MONITORED_KEEPER_PROGRAM;
}

JudgeConfig small_config(const std::string& scratch) {
  JudgeConfig config;
  config.target = "host";
  config.device = usable_core();
  config.keeper_program = KEEPER_PROGRAM;
  config.runner_program = RUNNER_PROGRAM;
  config.tracer_program = TRACER_PROGRAM;
  config.scratch_folder = scratch;
  config.protocol.trials = 2;
  config.protocol.warmups = 2;
  config.protocol.iterations = 6;
  config.protocol.pair_blocks = 2;
  config.budgets.evaluate_s = 20;
  config.budgets.evidence_s = 20;
  return config;
}

std::string process_state(pid_t pid) {
  return status_field("/proc/" + std::to_string(pid), "State");
}

std::vector<pid_t> children_named(const std::string& comm) {
  const std::string self = std::to_string(::getpid());
  return processes([&](const fs::path& process) {
    return status_field(process, "PPid") == self && status_field(process, "Name") == comm &&
           !status_field(process, "State").starts_with("Z");
  });
}

std::vector<pid_t> processes_in(const std::string& folder) {
  return processes([&](const fs::path& process) {
    std::error_code gone;
    const fs::path place = fs::read_symlink(process / "cwd", gone);
    return !gone && place.string().starts_with(folder);
  });
}

JudgeTest::JudgeTest() : scratch_(make_scratch()) {
  use(small_config(scratch()));
}

void JudgeTest::use(const JudgeConfig& config) {
  judge_.reset();
  judge_ = std::move(make_judge(config).value());
}

}  // namespace ptxbatch
