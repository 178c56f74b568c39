// Expect Other error (timing_violation), or Correct with an honest time: walks the loaded objects
// and points every table entry for clock_gettime, in whatever object, at a clock that stands still.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "gemm.cuh"

static int still(clockid_t /*clock*/, timespec* time) {
  *time = {1, 0};
  return 0;
}
static void overwrite(std::uintptr_t base, const ElfW(Rela) * table, std::size_t bytes,
                      const ElfW(Sym) * symbols, const char* strings) {
  for (std::size_t i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
    const char* name = strings + symbols[ELF64_R_SYM(table[i].r_info)].st_name;
    if (std::strcmp(name, "clock_gettime") != 0) continue;
    auto* entry = reinterpret_cast<void**>(base + table[i].r_offset);
    const auto page = reinterpret_cast<std::uintptr_t>(entry) & ~std::uintptr_t{4095};
    if (mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE) == 0) {
      *entry = reinterpret_cast<void*>(&still);
    }
  }
}
static int visit(dl_phdr_info* info, std::size_t /*size*/, void* /*data*/) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* dynamic =
        reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    const ElfW(Sym)* symbols = nullptr;
    const char* strings = nullptr;
    const ElfW(Rela)* jumps = nullptr;
    const ElfW(Rela)* others = nullptr;
    std::size_t jump_bytes = 0;
    std::size_t other_bytes = 0;
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
      if (dynamic->d_un.d_ptr < info->dlpi_addr && dynamic->d_tag != DT_PLTRELSZ &&
          dynamic->d_tag != DT_RELASZ) {
        continue;  // the vDSO does not relocate its own section
      }
      const auto address = dynamic->d_un.d_ptr;
      if (dynamic->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
      if (dynamic->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(address);
      if (dynamic->d_tag == DT_JMPREL) jumps = reinterpret_cast<const ElfW(Rela)*>(address);
      if (dynamic->d_tag == DT_RELA) others = reinterpret_cast<const ElfW(Rela)*>(address);
      if (dynamic->d_tag == DT_PLTRELSZ) jump_bytes = dynamic->d_un.d_val;
      if (dynamic->d_tag == DT_RELASZ) other_bytes = dynamic->d_un.d_val;
    }
    if (symbols == nullptr || strings == nullptr) continue;
    if (jumps != nullptr) overwrite(info->dlpi_addr, jumps, jump_bytes, symbols, strings);
    if (others != nullptr) overwrite(info->dlpi_addr, others, other_bytes, symbols, strings);
  }
  return 0;
}
static void run(const Gemm& g) {
  static bool done = false;
  if (!done) dl_iterate_phdr(visit, nullptr);
  done = true;
  const timespec time{0, 30'000'000};
  syscall(SYS_nanosleep, &time, nullptr);
  g.compute();
}
