// Host memory that a keeper owns and a runner maps: a memfd, mapped between two guard pages so that
// the tensor ends exactly where its mapping ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "common/error.h"
#include "common/unique_fd.h"

namespace ptxbatch {

/// Whole pages for the tensor and at least a page of slack in front of it.
std::uint64_t mapped_bytes_for(std::uint64_t tensor_bytes);

/// A memfd of `bytes` zeros.
Result<UniqueFd> make_shared_memory(std::uint64_t bytes);

enum class Sharing {
  kReadOnly,   // whoever receives the descriptor can only read; mappings that exist stay writable
  kReadWrite,  // whoever receives the descriptor can write
};
/// Seals the memfd for good. Its size is fixed either way: a receiver that could shrink it would
/// kill its owner with SIGBUS.
Status seal(int fd, Sharing sharing);

class GuardedMapping {
 public:
  enum class Access { kRead, kReadWrite };
  static Result<GuardedMapping> map(int fd, std::uint64_t mapped_bytes, std::uint64_t tensor_bytes,
                                    Access access);
  GuardedMapping(GuardedMapping&& other) noexcept
      : reserved_(std::exchange(other.reserved_, {})), tensor_bytes_(other.tensor_bytes_) {}
  GuardedMapping& operator=(GuardedMapping&& other) noexcept;
  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;
  ~GuardedMapping();

  /// Aligned to 64 bytes when its size is a multiple of 64, else to its elements: its end, not its
  /// start, is what lies on a page boundary.
  [[nodiscard]] std::span<std::byte> tensor() const;
  /// Between the front guard page and the tensor.
  [[nodiscard]] std::span<std::byte> slack() const;
  /// The whole address range, guard pages included.
  [[nodiscard]] std::span<std::byte> reserved() const { return reserved_; }

 private:
  GuardedMapping(std::span<std::byte> reserved, std::uint64_t tensor_bytes)
      : reserved_(reserved), tensor_bytes_(tensor_bytes) {}

  std::span<std::byte> reserved_;
  std::uint64_t tensor_bytes_ = 0;
};

}  // namespace ptxbatch
