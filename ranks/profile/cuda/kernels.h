// The keeper's own kernels: seeded inputs, the comparison with the reference, the canary. Launched
// on a stream and not waited for; results go to device memory.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "ranks/problems/comparison.h"
#include "ranks/problems/problem.h"

namespace ptxbatch {

/// N(0,1) by the formula of problems/random.h, rounded to nearest even in `type`: the values that
/// generate_normal() gives on the host, but for the last bit of the C library's functions.
void launch_generate_normal(CUdeviceptr data, DataType type, std::int64_t elements,
                            std::uint64_t seed, CUstream stream);

/// What OutputError is made of, reduced on the device.
struct DeviceComparison {
  double max_abs;
  double max_rel;
  double squared_error;
  double squared_expected;
  std::uint64_t wrong;
  std::uint64_t not_finite;  // poison not counted
  std::uint64_t never_written;
  std::uint64_t first_wrong;  // UINT64_MAX: none
};

/// Blocks of a comparison; each leaves a partial result.
inline constexpr int kComparisonBlocks = 1024;

/// Compares by the rule of problems/comparison.h element i with element (i + shift) mod elements of
/// `expected`. `partial` holds kComparisonBlocks results and `result` one. Sums are taken in a
/// fixed order, so the same outputs give the same bits.
void launch_compare(CUdeviceptr actual, CUdeviceptr expected, DataType type, std::int64_t elements,
                    std::int64_t shift, Tolerance tolerance, DeviceComparison* partial,
                    DeviceComparison* result, CUstream stream);

/// Reads all of `data`, so that lines written before leave the L2 cache for device memory.
void launch_read(CUdeviceptr data, std::uint64_t bytes, unsigned long long* sink, CUstream stream);

/// Counts the bytes that are not `canary` into *damaged, which must be 0.
void launch_count_damaged(CUdeviceptr data, std::uint64_t bytes, std::uint8_t canary,
                          unsigned long long* damaged, CUstream stream);

}  // namespace ptxbatch
