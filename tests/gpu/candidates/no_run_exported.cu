// Expect Other error (wrong_interface): the library loads but exports no function `run`.
#include <cuda_runtime.h>

static __global__ void nothing() {}

extern "C" __attribute__((visibility("default"))) void start() {
  nothing<<<1, 1>>>();
}
