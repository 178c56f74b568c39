// SIGTERM, SIGINT and SIGUSR1 ask for an orderly stop; the second one hurries it. USR1 is what a
// batch system sends ahead of the time limit.
#pragma once

namespace ptxbatch {

/// Installs the handlers; `obey` false makes the process ignore the signals (ranks under MPI get
/// them too, and stop when the coordinator says so).
void install_stop_signals(bool obey);

/// How many stop signals have come. Async-signal-safe inside.
int stop_signals_seen();

}  // namespace ptxbatch
