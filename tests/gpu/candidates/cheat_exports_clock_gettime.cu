// Expect Correct with an honest time: exports a clock that stands still. The runner has bound its
// own before it loads a candidate.
#include <ctime>

#include "gemm.cuh"

CANDIDATE_EXPORT int clock_gettime(clockid_t /*clock*/, timespec* time) noexcept {
  *time = {1, 0};
  return 0;
}
static void run(const Gemm& g) {
  g.compute();
}
