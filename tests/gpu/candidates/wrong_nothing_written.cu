// Expect Numerical error (not_written) or Other error (timing_violation): does nothing at all.
#include "gemm.cuh"

static void run(const Gemm& /*g*/) {}
