// Expect Correct, with as many threads as it may have: thousands of threads that never end.
#include <pthread.h>
#include <unistd.h>

#include "gemm.cuh"

static void* wait_for_ever(void* /*unused*/) {
  for (;;) pause();
}
static void run(const Gemm& g) {
  static bool started = false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread;
  for (int i = 0; !started && i < 5000; ++i) {
    if (pthread_create(&thread, &attributes, wait_for_ever, nullptr) != 0) break;
  }
  started = true;
  g.compute();
}
