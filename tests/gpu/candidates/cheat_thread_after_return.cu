// Expect Correct with the thread refused (it then computes itself), Numerical error or Other error
// (timing_violation): a helper thread launches the work after run has returned.
#include <pthread.h>
#include <unistd.h>

#include "gemm.cuh"

static void* later(void* argument) {
  const Gemm g = *static_cast<const Gemm*>(argument);
  usleep(2000);
  g.compute_into(g.c, nullptr);
  return nullptr;
}
static void run(const Gemm& g) {
  static Gemm kept = g;
  kept = g;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, later, &kept) != 0) {
    g.compute();
    return;
  }
  pthread_detach(thread);
}
