// The rank's side of judging: drives a keeper (trusted) and runners (untrusted, one a candidate)
// through profile/messages.h and turns what happens into an Evaluation. Nothing here loads CUDA or
// candidate code; the keeper and runner programs of a target are all that differ between targets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/experiment.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

struct JudgeConfig {
  std::string target;          // "host"
  int device = 0;              // as DevicePlace::device
  std::string keeper_program;  // absolute paths
  std::string runner_program;
  std::string tracer_program;  // runs a runner under breakpoints, for evidence
  // GPU, for the sanitize stage: the runner that is started under compute-sanitizer, and that.
  std::string instrumented_program;
  std::string sanitizer_program;
  std::string ncu_program;     // Nsight Compute, for evidence that fails otherwise; empty: none
  std::string scratch_folder;  // exists; sub-folders are made and removed
  ProtocolSettings protocol;
  StageBudgets budgets;
  double drift = 0.05;  // GPU: of the reference within one measurement, which is void beyond it
  // GPU: a candidate of our own that only launches an empty kernel: how long a call takes beyond
  // the GPU's work in it is measured with it.
  std::string calibration_candidate;
  std::vector<std::string> readable;  // files and folders open to candidates beyond what they need
  // What makes an evaluation cheap; benchmarks turn it off to see what it saves.
  bool runner_stands_by = true;  // a process with its context made, before there is a candidate
  bool evidence_by_ncu_only = false;
  bool keeps_state = true;     // inputs, reference outputs and latencies, from one to the next
  double death_within_s = 10;  // of a process that was killed
};

struct DeviceInfo {
  std::string name;
  std::string id;
  std::string driver;
  std::string libraries;
  std::string architecture;     // "sm_90"; empty on the host
  double peak_flops_per_s = 0;  // no correct kernel does more; 0: unknown
  double peak_bytes_per_s = 0;
};

/// What was seen of a device itself, whatever the candidate is like.
struct DeviceSigns {
  bool unkillable = false;      // a process that used it was killed and does not end
  int keepers_lost = 0;         // keepers that died or did not answer
  bool service_failed = false;  // an evaluation failed for a reason that is not the candidate's
  double drift = 0;  // share by which the reference wandered within the measurement that was kept
  double shift = 0;  // share by which it differs from when it was first timed
  std::int64_t throttle_reasons = 0;  // NVML's bits, of all readings together
  std::int64_t ecc_errors = -1;       // uncorrected, since the driver was loaded; -1: not read
  std::vector<std::int64_t> xids;     // critical errors that the driver reported
  bool gone = false;                  // the driver cannot reach it any more
};

/// One device's judge. Used from one thread, which must outlive it (its children die with it).
class Judge {
 public:
  virtual ~Judge() = default;

  /// Starts (or restarts) the keeper when needed and says what the device is.
  virtual Result<DeviceInfo> device_info() = 0;

  /// Correctness over the trials, then timing in alternating blocks with the reference. Never
  /// fails as a call: what goes wrong on our side is Outcome::kServiceFailure.
  virtual Evaluation evaluate(const Problem& problem, const std::string& binary) = 0;

  /// One call under each of the protocol's sanitizers, until one finds a fault. Not run on the
  /// host.
  virtual Sanitization sanitize(const Problem& problem, const std::string& binary) = 0;

  /// Runs the candidate once more, in a process of its own, and sees which of the scanned
  /// instructions are executed under the real workload.
  virtual Evidence collect_evidence(const Problem& problem, const std::string& binary,
                                    const StaticScan& scan) = 0;

  /// What was seen of the device since this was last asked.
  virtual DeviceSigns take_signs() = 0;

  /// Ends the keeper, and forgets all that was measured with it.
  virtual void restart() = 0;

  /// Times the reference alone, with nothing of a candidate in it; what came of it is in
  /// take_signs().
  virtual void probe(const Problem& problem) = 0;
};

Result<std::unique_ptr<Judge>> make_judge(JudgeConfig config);

}  // namespace ptxbatch
