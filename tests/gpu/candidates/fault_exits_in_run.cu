// Expect Runtime error (exited): ends the process with success before anything is computed.
#include <cstdlib>

#include "gemm.cuh"

static void run(const Gemm& /*g*/) {
  std::exit(0);
}
