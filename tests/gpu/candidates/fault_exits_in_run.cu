// Expect Runtime error (exited): ends the process with success before anything is computed.
#include "gemm.cuh"

#include <cstdlib>

static void run(const Gemm& /*g*/) {
  std::exit(0);
}
