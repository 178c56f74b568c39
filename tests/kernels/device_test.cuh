// For tests of device code: skips where there is no Hopper GPU, memory that both sides can fill,
// and bf16 numbers that float sums represent exactly.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using bf16 = __nv_bfloat16;

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int major = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
        major != 9) {
      GTEST_SKIP() << "no Hopper GPU";
    }
  }
};

/// An array on the GPU, filled with `value` or a copy of a vector.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ(cudaMalloc(&data_, size_ * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  DeviceArray(std::size_t size, T value) : DeviceArray(std::vector<T>(size, value)) {}
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return data_; }
  /// Waits for the GPU.
  std::vector<T> values() const {
    std::vector<T> host(size_);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << cudaGetErrorString(cudaGetLastError());
    EXPECT_EQ(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Integers from -4 to 4, without a pattern that a wrong layout could hide in.
inline float small_integer(unsigned i) {
  i = (i ^ 61U) ^ (i >> 16U);
  i *= 9U;
  i ^= i >> 4U;
  i *= 0x27D4EB2DU;
  i ^= i >> 15U;
  return static_cast<float>(i % 9U) - 4.0F;
}

inline std::vector<bf16> small_integers(std::size_t count, unsigned seed) {
  std::vector<bf16> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = __float2bfloat16(small_integer(static_cast<unsigned>(i) * 31U + seed));
  }
  return values;
}

/// Gives `kernel` as much dynamic shared memory as it needs.
template <typename Kernel>
void allow_shared_memory(Kernel kernel, int bytes) {
  ASSERT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
            cudaSuccess);
}

/// Dynamic shared memory from the first multiple of 1024.
__device__ inline char* aligned_shared_memory() {
  extern __shared__ char memory[];
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  return memory + (1024 - address % 1024) % 1024;
}
