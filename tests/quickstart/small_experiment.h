// Experiments small enough to be run many times, in a scratch folder.
#pragma once

#include <string>

#include "tests/support/test_folder.h"

namespace ptxbatch {

/// An experiment file with one problem (GEMM on the host target) and one prompt, made of parts that
/// a test may replace before it writes it.
struct SmallExperiment {
  std::string name = "small";
  std::string models;    // the [[models]] table; empty: the quickstart's replies
  std::string target;    // further keys of the [[targets]] table
  std::string problems;  // problems_folder; empty: the shipped one
  std::string definition = "gemm_f32_n192_k160";
  std::string protocol = "turns = 4\nwarmups = 1\niterations = 5\npair_blocks = 1\n";
  std::string rest;  // further text at the end
  int replicas = 2;

  [[nodiscard]] std::string text() const;
};

/// [[models]] with the replies in `folder`; `replay_latency` as in experiment files.
std::string recorded_model(const std::string& folder, double replay_latency = 0);

/// The replies of the quickstart.
std::string quickstart_replies();

/// A folder with an experiment file, a results file to be and replies of its own.
class Workspace {
 public:
  [[nodiscard]] std::string experiment() const { return folder_.file("experiment.toml"); }
  [[nodiscard]] std::string results() const { return folder_.file("out.h5"); }
  [[nodiscard]] std::string replies() const { return folder_.file("replies"); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

  void write(const SmallExperiment& small) const;
  void write(const std::string& name, const std::string& text) const;
  /// Adds a reply for the GEMM problem. A text without code costs no compilation.
  void add_reply(int trajectory, int turn, const std::string& text) const;

 private:
  TestFolder folder_;
};

/// Trajectories of one prose reply a turn: extraction errors, judged in no time.
void add_prose_replies(const Workspace& workspace, int trajectories, int turns);

}  // namespace ptxbatch
