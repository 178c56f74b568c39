#include "ranks/profile/cuda/device_memory.h"

#include "ranks/profile/cuda/checked_call.h"

namespace ptxbatch {
namespace {

CUmemAllocationProp shareable_memory(CUdevice device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return properties;
}

std::uint64_t granule_bytes(CUdevice device) {
  const CUmemAllocationProp properties = shareable_memory(device);
  std::size_t bytes = 0;
  PTXBATCH_CALL(
      cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  return bytes;
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::uint64_t bytes) : bytes_(bytes) {
  if (bytes > 0) PTXBATCH_CALL(cuMemAlloc(&address_, bytes));
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this != &other) {
    release();
    address_ = std::exchange(other.address_, 0);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

// NOLINTNEXTLINE(readability-make-member-function-const): it ends what the object owns
void DeviceBuffer::release() noexcept {
  if (address_ != 0) cuMemFree(address_);
}

std::uint64_t mapped_device_bytes(std::uint64_t tensor_bytes, CUdevice device) {
  const std::uint64_t granule = granule_bytes(device);
  return (tensor_bytes + kMinimumSlackBytes + granule - 1) / granule * granule;
}

SharedTensor SharedTensor::allocate(std::uint64_t tensor_bytes, CUdevice device) {
  const std::uint64_t mapped_bytes = mapped_device_bytes(tensor_bytes, device);
  const CUmemAllocationProp properties = shareable_memory(device);
  CUmemGenericAllocationHandle memory = 0;
  PTXBATCH_CALL(cuMemCreate(&memory, mapped_bytes, &properties, 0));
  return {memory, mapped_bytes, tensor_bytes, Access::kReadWrite, device};
}

SharedTensor SharedTensor::import(int fd, std::uint64_t mapped_bytes, std::uint64_t tensor_bytes,
                                  Access access, CUdevice device) {
  CUmemGenericAllocationHandle memory = 0;
  // The interface takes the descriptor's number in place of a pointer.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto* handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(fd));
  PTXBATCH_CALL(
      cuMemImportFromShareableHandle(&memory, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  return {memory, mapped_bytes, tensor_bytes, access, device};
}

SharedTensor::SharedTensor(CUmemGenericAllocationHandle memory, std::uint64_t mapped_bytes,
                           std::uint64_t tensor_bytes, Access access, CUdevice device)
    : SharedTensor(memory) {  // made from here on: what throws below is released
  mapped_bytes_ = mapped_bytes;
  tensor_bytes_ = tensor_bytes;
  const std::uint64_t guard = granule_bytes(device);
  reserved_bytes_ = mapped_bytes + 2 * guard;
  PTXBATCH_CALL(cuMemAddressReserve(&reserved_, reserved_bytes_, 0, 0, 0));
  PTXBATCH_CALL(cuMemMap(reserved_ + guard, mapped_bytes, 0, memory, 0));
  mapped_ = reserved_ + guard;
  CUmemAccessDesc description{};
  description.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  description.location.id = device;
  description.flags =
      access == Access::kRead ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  PTXBATCH_CALL(cuMemSetAccess(mapped_, mapped_bytes, &description, 1));
}

SharedTensor::SharedTensor(SharedTensor&& other) noexcept
    : memory_(std::exchange(other.memory_, 0)),
      reserved_(std::exchange(other.reserved_, 0)),
      reserved_bytes_(other.reserved_bytes_),
      mapped_(std::exchange(other.mapped_, 0)),
      mapped_bytes_(other.mapped_bytes_),
      tensor_bytes_(other.tensor_bytes_) {}

SharedTensor& SharedTensor::operator=(SharedTensor&& other) noexcept {
  if (this != &other) {
    release();
    memory_ = std::exchange(other.memory_, 0);
    reserved_ = std::exchange(other.reserved_, 0);
    reserved_bytes_ = other.reserved_bytes_;
    mapped_ = std::exchange(other.mapped_, 0);
    mapped_bytes_ = other.mapped_bytes_;
    tensor_bytes_ = other.tensor_bytes_;
  }
  return *this;
}

UniqueFd SharedTensor::export_fd() const {
  int fd = -1;
  PTXBATCH_CALL(
      cuMemExportToShareableHandle(&fd, memory_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  return UniqueFd(fd);
}

// NOLINTNEXTLINE(readability-make-member-function-const): it ends what the object owns
void SharedTensor::release() noexcept {
  if (mapped_ != 0) cuMemUnmap(mapped_, mapped_bytes_);
  if (reserved_ != 0) cuMemAddressFree(reserved_, reserved_bytes_);
  if (memory_ != 0) cuMemRelease(memory_);
}

}  // namespace ptxbatch
