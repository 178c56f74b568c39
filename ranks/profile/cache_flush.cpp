#include "ranks/profile/cache_flush.h"

#include <cpuid.h>
#include <immintrin.h>

namespace ptxbatch {
namespace {

constexpr std::size_t kCacheLine = 64;

// Of the instructions that drop a line this one does not wait for the line before.
__attribute__((target("clflushopt"))) void flush_unordered(const std::byte* begin,
                                                           const std::byte* end) {
  for (const std::byte* line = begin; line < end; line += kCacheLine) {
    _mm_clflushopt(const_cast<std::byte*>(line));
  }
}

void flush_ordered(const std::byte* begin, const std::byte* end) {
  for (const std::byte* line = begin; line < end; line += kCacheLine) _mm_clflush(line);
}

bool has_clflushopt() {
  unsigned int eax = 0;
  unsigned int ebx = 0;
  unsigned int ecx = 0;
  unsigned int edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_CLFLUSHOPT) != 0;
}

}  // namespace

void flush_from_caches(std::span<const std::byte> memory) {
  if (memory.empty()) return;
  const std::byte* end = memory.data() + memory.size();
  static const bool unordered = has_clflushopt();
  if (unordered) {
    flush_unordered(memory.data(), end);
  } else {
    flush_ordered(memory.data(), end);
  }
  _mm_clflush(end - 1);  // the last line, when the start is not aligned
  _mm_mfence();
}

}  // namespace ptxbatch
