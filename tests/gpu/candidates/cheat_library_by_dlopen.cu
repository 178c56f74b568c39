// Expect Other error (banned_use) from its source; built all the same and run, Correct with the
// library out of reach: opens cuBLAS by name.
#include <dlfcn.h>

#include "gemm.cuh"

static void run(const Gemm& g) {
  for (const char* name : {"libcublas.so", "libcublas.so.12", "libcublas.so.13",
                           "/usr/local/cuda/lib64/libcublas.so"}) {
    must_be_refused(dlopen(name, RTLD_NOW) != nullptr);
  }
  g.compute();
}
