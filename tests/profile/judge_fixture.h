// A judge with real keeper, runner and tracer programs, and small problems for it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/scratch_folder.h"
#include "ranks/profile/judge.h"

namespace ptxbatch {

using Outcome = Evaluation::Outcome;

Problem gemm_problem(std::int64_t m = 32, std::int64_t n = 48, std::int64_t k = 40);
Problem mha_problem();

/// The path of a candidate that CMakeLists.txt built.
std::string candidate(const std::string& name);
std::string dying_keeper_program();
/// A host keeper with the health of simulated_nvml.cpp.
std::string monitored_keeper_program();

/// Two trials, few calls, a budget of three seconds: what a test needs and no more.
JudgeConfig small_config(const std::string& scratch);

/// Live processes whose parent is this one, by their program's name in /proc/PID/comm.
std::vector<pid_t> children_named(const std::string& comm);
/// "T (stopped)", "R (running)", as /proc/PID/status has it.
std::string process_state(pid_t pid);
/// Live processes that have anything below `folder` as working directory.
std::vector<pid_t> processes_in(const std::string& folder);

class JudgeTest : public ::testing::Test {
 protected:
  JudgeTest();
  /// A judge made of small_config(), replacing the one there is.
  void use(const JudgeConfig& config);
  Evaluation evaluate(const std::string& name) {
    return judge_->evaluate(gemm_problem(), candidate(name));
  }
  [[nodiscard]] const std::string& scratch() const { return scratch_.path(); }

  ScratchFolder scratch_;
  std::unique_ptr<Judge> judge_;
};

}  // namespace ptxbatch
