#include "ranks/profile/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace ptxbatch {
namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

std::uint64_t mapped_bytes_for(std::uint64_t tensor_bytes) {
  return (tensor_bytes + kPage - 1) / kPage * kPage + kPage;
}

Result<UniqueFd> make_shared_memory(std::uint64_t bytes) {
  UniqueFd fd(::memfd_create("ptxbatch-tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return fail(system_error("memfd_create", errno));
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return fail(system_error("cannot size a tensor's memory", errno));
  }
  return fd;
}

Status seal(int fd, Sharing sharing) {
  // FUTURE_WRITE rather than WRITE: the keeper's own mapping stays writable, so that it can put
  // other inputs behind the same addresses of a runner.
  const int read_only = sharing == Sharing::kReadOnly ? F_SEAL_FUTURE_WRITE : 0;
  if (::fcntl(fd, F_ADD_SEALS, read_only | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail(
        system_error("cannot seal a tensor's memory", errno, "Linux 5.1 or later is needed."));
  }
  return {};
}

Result<GuardedMapping> GuardedMapping::map(int fd, std::uint64_t mapped_bytes,
                                           std::uint64_t tensor_bytes, Access access) {
  if (mapped_bytes % kPage != 0 || tensor_bytes > mapped_bytes || mapped_bytes > (1ULL << 46U)) {
    return fail(ErrorKind::kProtocol, "a tensor's mapping of an impossible size");
  }
  const std::uint64_t reserved_bytes = mapped_bytes + 2 * kPage;
  void* reserved = ::mmap(nullptr, reserved_bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return fail(system_error("cannot reserve addresses", errno));
  GuardedMapping mapping({static_cast<std::byte*>(reserved), reserved_bytes}, tensor_bytes);
  const int protection = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  if (::mmap(mapping.reserved_.data() + kPage, mapped_bytes, protection,
             MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0) == MAP_FAILED) {
    return fail(system_error("cannot map a tensor", errno));
  }
  return mapping;
}

GuardedMapping& GuardedMapping::operator=(GuardedMapping&& other) noexcept {
  std::swap(reserved_, other.reserved_);
  std::swap(tensor_bytes_, other.tensor_bytes_);
  return *this;
}

GuardedMapping::~GuardedMapping() {
  if (!reserved_.empty()) ::munmap(reserved_.data(), reserved_.size());
}

std::span<std::byte> GuardedMapping::tensor() const {
  return reserved_.subspan(reserved_.size() - kPage - tensor_bytes_, tensor_bytes_);
}

std::span<std::byte> GuardedMapping::slack() const {
  return reserved_.subspan(kPage, reserved_.size() - 2 * kPage - tensor_bytes_);
}

}  // namespace ptxbatch
