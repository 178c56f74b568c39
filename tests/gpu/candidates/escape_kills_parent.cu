// Expect Correct with everything refused: signals to the rank, to its group and to everybody.
#include <sys/ptrace.h>
#include <unistd.h>

#include <csignal>

#include "gemm.cuh"

static void run(const Gemm& g) {
  must_be_refused(kill(getppid(), 0) == 0);
  must_be_refused(kill(0, SIGTERM) == 0);
  must_be_refused(kill(-1, SIGTERM) == 0);
  must_be_refused(ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0);
  g.compute();
}
