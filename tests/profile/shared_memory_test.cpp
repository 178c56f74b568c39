// Memory between keeper and runner: where a tensor lies, and what a receiver cannot do to it.
#include "ranks/profile/shared_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace ptxbatch {
namespace {

using Access = GuardedMapping::Access;

struct Shared {
  UniqueFd fd;
  GuardedMapping owner;
};

Shared share(std::uint64_t bytes, Sharing sharing) {
  UniqueFd fd = std::move(make_shared_memory(mapped_bytes_for(bytes)).value());
  GuardedMapping owner = std::move(
      GuardedMapping::map(fd.get(), mapped_bytes_for(bytes), bytes, Access::kReadWrite).value());
  EXPECT_TRUE(seal(fd.get(), sharing));
  return {std::move(fd), std::move(owner)};
}

TEST(SharedMemory, ATensorEndsWhereItsMappingEnds) {
  for (const std::uint64_t bytes : {4U, 4092U, 4096U, 4100U, 100'000U}) {
    const Shared shared = share(bytes, Sharing::kReadWrite);
    const auto tensor = shared.owner.tensor();
    const auto end = reinterpret_cast<std::uintptr_t>(tensor.data() + tensor.size());
    EXPECT_EQ(end % 4096, 0U);
    EXPECT_EQ(tensor.size(), bytes);
    EXPECT_GE(shared.owner.slack().size(), 4096U);
    EXPECT_EQ(shared.owner.slack().data() + shared.owner.slack().size(), tensor.data());
  }
}

TEST(SharedMemory, AMultipleOf64BytesStartsAtACacheLine) {
  const Shared shared = share(64 * 33, Sharing::kReadWrite);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(shared.owner.tensor().data()) % 64, 0U);
}

TEST(SharedMemoryDeathTest, BehindTheTensorNothingCanBeRead) {
  const Shared shared = share(100, Sharing::kReadWrite);
  const volatile std::byte* behind = shared.owner.tensor().data() + 100;
  EXPECT_DEATH((void)static_cast<int>(*behind), "");
}

TEST(SharedMemory, AReaderSeesWhatTheOwnerWritesLater) {
  const Shared shared = share(100, Sharing::kReadOnly);
  const auto reader =
      GuardedMapping::map(shared.fd.get(), mapped_bytes_for(100), 100, Access::kRead);
  ASSERT_TRUE(reader);
  std::memset(shared.owner.tensor().data(), 7, 100);
  EXPECT_EQ(reader->tensor()[99], std::byte{7});
}

TEST(SharedMemory, AReaderCannotMakeItsMappingWritable) {
  const Shared shared = share(100, Sharing::kReadOnly);
  EXPECT_FALSE(
      GuardedMapping::map(shared.fd.get(), mapped_bytes_for(100), 100, Access::kReadWrite));
  const auto reader =
      GuardedMapping::map(shared.fd.get(), mapped_bytes_for(100), 100, Access::kRead);
  ASSERT_TRUE(reader);
  EXPECT_NE(::mprotect(reader->slack().data(), 4096, PROT_READ | PROT_WRITE), 0);
  EXPECT_LT(::pwrite(shared.fd.get(), "x", 1, 0), 0);
}

TEST(SharedMemory, NobodyCanResizeOrSealIt) {
  for (const Sharing sharing : {Sharing::kReadOnly, Sharing::kReadWrite}) {
    const Shared shared = share(100, sharing);
    EXPECT_NE(::ftruncate(shared.fd.get(), 0), 0);
    EXPECT_NE(::ftruncate(shared.fd.get(), 1 << 20), 0);
    EXPECT_NE(::fcntl(shared.fd.get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  }
}

TEST(SharedMemory, ImpossibleSizesAreRefused) {
  const Shared shared = share(100, Sharing::kReadWrite);
  EXPECT_FALSE(GuardedMapping::map(shared.fd.get(), 4096, 4097, Access::kRead));
  EXPECT_FALSE(GuardedMapping::map(shared.fd.get(), 4095, 100, Access::kRead));
  EXPECT_FALSE(GuardedMapping::map(shared.fd.get(), ~0ULL << 12U, 100, Access::kRead));
}

}  // namespace
}  // namespace ptxbatch
