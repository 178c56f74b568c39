#include "orchestrator/stop_signal.h"

#include <atomic>
#include <csignal>

namespace ptxbatch {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<int> usr1_seen = 0;
std::atomic<int> terminate_seen = 0;
std::atomic<int> interrupt_seen = 0;

void count_signal(int signal) {
  (signal == SIGUSR1   ? usr1_seen
   : signal == SIGTERM ? terminate_seen
                       : interrupt_seen)
      .fetch_add(1);
}

}  // namespace

void install_stop_signals(bool obey) {
  struct sigaction action {};
  action.sa_handler = obey ? count_signal : SIG_IGN;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) ::sigaction(signal, &action, nullptr);
  // A vanished terminal or reader must not end a run, and a limit on file sizes is an error of the
  // write that meets it.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaction(signal, &ignore, nullptr);
}

StopSignals stop_signals_seen() {
  return {usr1_seen.load(), terminate_seen.load(), interrupt_seen.load()};
}

}  // namespace ptxbatch
