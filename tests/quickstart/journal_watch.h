// Waits for a run to get somewhere by watching its journal grow.
#pragma once

#include <functional>
#include <string>

#include "common/process.h"
#include "common/unique_fd.h"
#include "results/records.h"

namespace ptxbatch {

/// The turns that the journal of RESULTS.h5 holds; 0 while there is none.
int turns_in_journal(const std::string& results);

class JournalWatch {
 public:
  /// The folder of `results` must exist; make the watch before the run starts.
  explicit JournalWatch(std::string results);

  /// Waits until `reached` holds, looking again whenever the journal changes or some milliseconds
  /// have passed. False when `run` ends before, or after a minute.
  bool wait_until(ChildProcess& run, const std::function<bool()>& reached);

  /// Waits for that many judged turns.
  bool wait_for_turns(ChildProcess& run, int turns);

 private:
  void drain();

  std::string results_;
  UniqueFd changes_;
};

}  // namespace ptxbatch
