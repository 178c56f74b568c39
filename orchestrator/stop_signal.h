// SIGTERM, SIGINT and SIGUSR1 ask for an orderly stop. USR1 is what a batch system sends ahead of
// the time limit. What each means for turns in hand: stop_policy.h.
#pragma once

namespace ptxbatch {

/// How many of each have come.
struct StopSignals {
  int usr1 = 0;
  int terminate = 0;
  int interrupt = 0;

  [[nodiscard]] bool any() const { return usr1 + terminate + interrupt > 0; }
};

/// Installs the handlers; `obey` false makes the process ignore the signals (ranks under MPI get
/// them too, and stop when the coordinator says so).
void install_stop_signals(bool obey);

StopSignals stop_signals_seen();

}  // namespace ptxbatch
