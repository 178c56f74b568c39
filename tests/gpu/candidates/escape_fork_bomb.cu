// Expect Correct with everything refused, or Runtime error (forbidden_system_call): processes
// without end. None may be left behind.
#include <sys/syscall.h>
#include <unistd.h>

#include "gemm.cuh"

static void run(const Gemm& g) {
  for (int i = 0; i < 1000; ++i) {
    const long child = syscall(SYS_fork);
    if (child == 0) {
      for (;;) syscall(SYS_fork);
    }
    must_be_refused(child > 0);
  }
  g.compute();
}
