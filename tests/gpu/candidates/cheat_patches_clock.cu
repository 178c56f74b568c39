// Expect Other error (timing_violation), or Correct with an honest time: overwrites the code of
// clock_gettime in its process, so that the runner's clock stands still, and then takes its time.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "gemm.cuh"

static void run(const Gemm& g) {
  static bool stopped = false;
  if (!stopped) {
    // mov qword [rsi], 1; mov qword [rsi+8], 0; xor eax, eax; ret
    const unsigned char code[] = {0x48, 0xC7, 0x06, 0x01, 0x00, 0x00, 0x00, 0x48, 0xC7,
                                  0x46, 0x08, 0x00, 0x00, 0x00, 0x00, 0x31, 0xC0, 0xC3};
    auto* clock = reinterpret_cast<unsigned char*>(&clock_gettime);
    const auto page = reinterpret_cast<std::uintptr_t>(clock) & ~std::uintptr_t{4095};
    stopped = true;
    if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
      std::memcpy(clock, code, sizeof code);
    }
  }
  const timespec time{0, 30'000'000};
  syscall(SYS_nanosleep, &time, nullptr);
  g.compute();
}
