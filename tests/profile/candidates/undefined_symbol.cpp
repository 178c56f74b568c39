// A candidate that cannot be loaded: it calls a function that exists nowhere.
#include "gemm.h"

void a_function_that_exists_nowhere();

CANDIDATE_EXPORT int __tvm_ffi_run(RUN_ARGUMENTS) {
  (void)arguments;
  a_function_that_exists_nowhere();
  return 0;
}
