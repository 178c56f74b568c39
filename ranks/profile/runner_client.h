// The rank's view of one runner: a process for one candidate, stopped whenever it is not asked to
// run, so that nothing it left going can work on between calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/scratch_folder.h"
#include "ranks/profile/device_process.h"
#include "ranks/profile/peer.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

struct RunnerSpec {
  std::string program;
  std::string scratch_folder;  // in which the runner's own folder is made
  DevicePlace place;
  std::vector<std::string> readable;   // by candidates, beyond what they need
  std::vector<std::string> tool = {};  // a tool and its arguments, under which the program is run
};

/// How a candidate ended its evaluation before its time.
struct CandidateEnd {
  Evaluation::Outcome outcome = Evaluation::Outcome::kServiceFailure;
  std::string detail;
  int signal = 0;
  int exit_code = 0;
  std::string fault_address_kind;
  int device_error = 0;
};

class RunnerClient {
 public:
  static constexpr double kReadyWithinS = 60;

  /// Both return as soon as the process is started; it gets ready by itself.
  static Result<RunnerClient> start(const RunnerSpec& spec);
  static Result<RunnerClient> start_traced(const RunnerSpec& spec,
                                           const std::string& tracer_program);

  /// Waits until the runner is ready. An error is no fault of a candidate.
  Status wait_ready(double within_s = kReadyWithinS);

  struct Load {
    const std::string& binary;
    const Problem& problem;
    const std::vector<TensorMapping>& mappings;
    const std::vector<UniqueFd>& fds;
  };
  struct Step {
    double span_s = 0;        // by the rank's clock
    double claimed_s = 0;     // by the runner's, which the candidate may have tampered with
    std::string violation;    // of the rules of timing, as the runner saw it; empty: none
    bool incomplete = false;  // the time is not known: measure again
  };
  /// Each takes at most `budget_s`, and leaves the candidate stopped.
  tl::expected<Step, CandidateEnd> load(const Load& load, double budget_s);
  tl::expected<Step, CandidateEnd> call(double budget_s);

  /// Of a runner that counts instructions: the function, before the call; the counts, after it. An
  /// error is text for the record: whatever went wrong, nothing was counted.
  tl::expected<void, std::string> count_function(const std::string& function, double budget_s);
  tl::expected<FunctionCounts, std::string> counts(double budget_s);

  /// Lets the process end, for want of requests; how it did. Under a tool it is the tool's end.
  ProcessEnd finish(double budget_s);
  /// What it printed.
  [[nodiscard]] const std::string& output() const { return runner_.child().output(); }

  /// The protections that the kernel lacks, known after load(); empty when none.
  [[nodiscard]] const std::string& sandbox_notice() const { return sandbox_notice_; }
  /// The tracer over its own channel; none unless start_traced().
  [[nodiscard]] Peer* tracer() { return tracer_ ? &*tracer_ : nullptr; }
  [[nodiscard]] pid_t pid() const { return runner_.child().pid(); }

 private:
  RunnerClient(const RunnerSpec& spec, ScratchFolder scratch, Peer runner,
               std::optional<Peer> tracer)
      : readable_(spec.readable),
        under_tool_(tracer || !spec.tool.empty()),
        scratch_(std::move(scratch)),
        runner_(std::move(runner)),
        tracer_(std::move(tracer)) {}
  void stop() const;
  void go_on() const;
  CandidateEnd end_of(const PeerFailure& failure) const;

  std::vector<std::string> readable_;
  bool under_tool_;
  ScratchFolder scratch_;  // before the process, so that it outlives it
  Peer runner_;
  std::optional<Peer> tracer_;
  std::string sandbox_notice_;
};

}  // namespace ptxbatch
