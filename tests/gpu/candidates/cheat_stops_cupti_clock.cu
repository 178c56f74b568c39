// Expect Other error (timing_violation), or Correct with an honest time: makes CUPTI's clock stand
// still, from which the times of its records are derived or against which they may be checked.
#include <sys/mman.h>

#include <cstring>

#include "gemm.cuh"

extern "C" __attribute__((weak)) int cuptiGetTimestamp(std::uint64_t*);

static int constant_time(std::uint64_t* time) {
  *time = 1'000'000'000ULL;
  return 0;
}
static void run(const Gemm& g) {
  static bool patched = false;
  if (!patched && cuptiGetTimestamp != nullptr) {
    unsigned char code[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};  // mov rax; jmp rax
    auto* target = &constant_time;
    std::memcpy(code + 2, &target, sizeof target);
    auto* function = reinterpret_cast<unsigned char*>(&cuptiGetTimestamp);
    const auto page = reinterpret_cast<std::uintptr_t>(function) & ~std::uintptr_t{4095};
    if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
      std::memcpy(function, code, sizeof code);
    }
    patched = true;
  }
  for (int i = 0; i < 200; ++i) g.compute();
}
