// Expect Correct with the symbol unresolved: the same under another name, which no search of the
// source for identifiers finds.
#include "gemm.cuh"

extern "C" __attribute__((weak)) int make_handle(void** handle) __asm__(
    "cub"
    "lasCreate_v2");
extern "C" __attribute__((weak)) int make_lt_handle(void** handle) __asm__(
    "cub"
    "lasLtCreate");

static void run(const Gemm& g) {
  must_be_refused(make_handle != nullptr);
  must_be_refused(make_lt_handle != nullptr);
  g.compute();
}
