// Device memory, owned: plain buffers, and tensors in allocations of the virtual-memory API that
// another process can map.
//
// A shared tensor lies between two unmapped stretches of addresses, and ends where its mapping
// ends: an access behind it faults (CUDA error 700) in the process that made it. The slack in front
// of it, at least kMinimumSlackBytes, is mapped as well.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <utility>

#include "common/unique_fd.h"

namespace ptxbatch {

/// Memory of this process alone. Throws OutOfDeviceMemory.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::uint64_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { release(); }

  [[nodiscard]] CUdeviceptr address() const { return address_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void release() noexcept;
  CUdeviceptr address_ = 0;
  std::uint64_t bytes_ = 0;
};

inline constexpr std::uint64_t kMinimumSlackBytes = 4096;

/// Whole granules for the tensor and its slack.
std::uint64_t mapped_device_bytes(std::uint64_t tensor_bytes, CUdevice device);

/// A tensor's memory, mapped in this process.
class SharedTensor {
 public:
  enum class Access { kRead, kReadWrite };

  /// New memory, readable and writable here. Throws OutOfDeviceMemory.
  static SharedTensor allocate(std::uint64_t tensor_bytes, CUdevice device);
  /// Memory that another process made and exported.
  static SharedTensor import(int fd, std::uint64_t mapped_bytes, std::uint64_t tensor_bytes,
                             Access access, CUdevice device);

  SharedTensor(SharedTensor&& other) noexcept;
  SharedTensor& operator=(SharedTensor&& other) noexcept;
  SharedTensor(const SharedTensor&) = delete;
  SharedTensor& operator=(const SharedTensor&) = delete;
  ~SharedTensor() { release(); }

  [[nodiscard]] UniqueFd export_fd() const;
  /// Aligned to 256 bytes when the tensor's size is a multiple of 256.
  [[nodiscard]] CUdeviceptr tensor() const { return mapped_ + mapped_bytes_ - tensor_bytes_; }
  [[nodiscard]] std::uint64_t tensor_bytes() const { return tensor_bytes_; }
  [[nodiscard]] CUdeviceptr slack() const { return mapped_; }
  [[nodiscard]] std::uint64_t slack_bytes() const { return mapped_bytes_ - tensor_bytes_; }
  [[nodiscard]] std::uint64_t mapped_bytes() const { return mapped_bytes_; }

 private:
  explicit SharedTensor(CUmemGenericAllocationHandle memory) : memory_(memory) {}
  SharedTensor(CUmemGenericAllocationHandle memory, std::uint64_t mapped_bytes,
               std::uint64_t tensor_bytes, Access access, CUdevice device);
  void release() noexcept;

  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr reserved_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  CUdeviceptr mapped_ = 0;
  std::uint64_t mapped_bytes_ = 0;
  std::uint64_t tensor_bytes_ = 0;
};

}  // namespace ptxbatch
