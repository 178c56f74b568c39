// Batch scripts among stand-ins: Slurm's commands, ptxbatch and a few tools are small bash scripts
// of a test's own, which note how they were called.
#pragma once

#include <string>
#include <vector>

#include "tests/quickstart/command.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {

class StubStage {
 public:
  /// With stand-ins that do as a Slurm does on which nothing goes wrong: jobs get the numbers 101,
  /// 102, …, and job 100 runs. Every file of theirs is in folder().
  StubStage();

  [[nodiscard]] std::string folder() const { return folder_.file(""); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

  /// Makes or replaces a command; `body` is bash, and runs in folder().
  void stub(const std::string& name, const std::string& body) const;
  void write(const std::string& name, const std::string& text) const;
  /// Empty where there is no such file.
  [[nodiscard]] std::string read(const std::string& name) const;

  /// What `ptxbatch run` does, step by step: lines of bash, such as "turns 3; exit 9".
  void steps(const std::vector<std::string>& lines) const;

  /// Every call of a stand-in, one a line: its name and arguments.
  [[nodiscard]] std::string calls() const { return read("calls"); }
  [[nodiscard]] int count_calls(const std::string& beginning) const;

  /// bash SCRIPT ARGUMENTS with further variables ("NAME=value"), as on a login node.
  [[nodiscard]] CommandEnd bash(std::vector<std::string> argv,
                                const std::vector<std::string>& variables = {}) const;
  /// The same, as job 100.
  [[nodiscard]] CommandEnd job(std::vector<std::string> argv,
                               std::vector<std::string> variables = {}) const;

 private:
  TestFolder folder_;
};

}  // namespace ptxbatch
