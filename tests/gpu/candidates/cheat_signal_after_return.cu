// Expect Correct with the timer refused (it then computes itself), Numerical error or Other error
// (timing_violation): a timer's signal launches the work after run has returned.
#include <sys/time.h>

#include <csignal>
#include <cstring>

#include "gemm.cuh"

static Gemm* kept = nullptr;
static void work(int /*signal*/) {
  kept->compute();
}
static void run(const Gemm& g) {
  delete kept;
  kept = new Gemm(g);
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = work;
  itimerval timer = {};
  timer.it_value.tv_usec = 2000;
  if (sigaction(SIGALRM, &action, nullptr) != 0 || setitimer(ITIMER_REAL, &timer, nullptr) != 0) {
    g.compute();
  }
}
