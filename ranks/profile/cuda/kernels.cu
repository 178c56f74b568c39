#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>

#include "ranks/problems/random.h"
#include "ranks/profile/cuda/kernels.h"

namespace ptxbatch {
namespace {

constexpr int kThreads = 256;
constexpr double kTwoToMinus32 = 1.0 / 4294967296.0;
constexpr double kPi = 3.14159265358979323846;
constexpr unsigned long long kNone = ~0ULL;

void check_launch() {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string("a kernel launch failed: ") + cudaGetErrorString(error));
  }
}

// ---- inputs ----

__device__ void box_muller(std::uint32_t a, std::uint32_t b, float* values) {
  const double u = (static_cast<double>(a) + 1.0) * kTwoToMinus32;
  const double angle = 2.0 * kPi * (static_cast<double>(b) * kTwoToMinus32);
  const double radius = sqrt(-2.0 * log(u));
  double sine = 0;
  double cosine = 0;
  sincos(angle, &sine, &cosine);
  values[0] = static_cast<float>(radius * cosine);
  values[1] = static_cast<float>(radius * sine);
}

__device__ void store(float* to, float value) {
  *to = value;
}
__device__ void store(__nv_bfloat16* to, float value) {
  *to = __float2bfloat16_rn(value);
}
__device__ void store(__half* to, float value) {
  *to = __float2half_rn(value);
}

// A thread a block of four elements.
template <class Element>
__global__ void generate_normal_kernel(Element* data, std::int64_t elements, std::uint64_t seed) {
  const auto block = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(block) * 4;
  if (first >= elements) return;
  const PhiloxCounter words = philox4x32_10(
      {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32U), 0, 0},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
  float values[4];
  box_muller(words[0], words[1], values);
  box_muller(words[2], words[3], values + 2);
  for (int i = 0; i < 4 && first + i < elements; ++i) store(data + first + i, values[i]);
}

template <class Element>
void launch_generate(CUdeviceptr data, std::int64_t elements, std::uint64_t seed, CUstream stream) {
  const std::int64_t blocks = (elements + 4 * kThreads - 1) / (4 * kThreads);
  if (blocks == 0) return;
  generate_normal_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      reinterpret_cast<Element*>(data), elements, seed);
  check_launch();
}

// ---- comparison ----

template <class Element>
struct Bits;
template <>
struct Bits<float> {
  using Type = std::uint32_t;
};
template <>
struct Bits<__nv_bfloat16> {
  using Type = std::uint16_t;
};
template <>
struct Bits<__half> {
  using Type = std::uint16_t;
};

__device__ float widen(float value) {
  return value;
}
__device__ float widen(__nv_bfloat16 value) {
  return __bfloat162float(value);
}
__device__ float widen(__half value) {
  return __half2float(value);
}

__device__ DeviceComparison nothing_compared() {
  return {0, 0, 0, 0, 0, 0, 0, kNone};
}

__device__ void join(DeviceComparison& total, const DeviceComparison& part) {
  total.max_abs = fmax(total.max_abs, part.max_abs);
  total.max_rel = fmax(total.max_rel, part.max_rel);
  total.squared_error += part.squared_error;
  total.squared_expected += part.squared_expected;
  total.wrong += part.wrong;
  total.not_finite += part.not_finite;
  total.never_written += part.never_written;
  total.first_wrong = min(static_cast<unsigned long long>(total.first_wrong),
                          static_cast<unsigned long long>(part.first_wrong));
}

// Tree over the block's threads, in a fixed order. The result is thread 0's.
__device__ DeviceComparison reduce_over_block(DeviceComparison mine) {
  __shared__ DeviceComparison shared[kThreads];
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) join(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  return shared[0];
}

template <class Element>
__device__ void compare_element(Element actual, Element expected, std::uint64_t index,
                                typename Bits<Element>::Type poison, Tolerance tolerance,
                                DeviceComparison& sums) {
  const double x = widen(actual);
  const double y = widen(expected);
  if (isfinite(x) && isfinite(y)) {
    const double error = fabs(x - y);
    const double scale = fabs(y) + 1e-8;
    sums.max_abs = fmax(sums.max_abs, error);
    sums.squared_error += error * error;
    sums.squared_expected += y * y;
    // The quotient itself is needed where it may be the largest; it costs as much as all the rest.
    if (error > sums.max_rel * scale) sums.max_rel = error / scale;
    if (!(error > tolerance.absolute && error > tolerance.relative * scale)) return;
  } else if (reinterpret_cast<const typename Bits<Element>::Type&>(actual) == poison) {
    ++sums.never_written;
  } else {
    ++sums.not_finite;
  }
  ++sums.wrong;
  if (index < sums.first_wrong) sums.first_wrong = index;
}

// Eight elements at a time where both tensors allow loads of 16 bytes.
template <class Element>
__global__ void compare_kernel(const Element* actual, const Element* expected,
                               std::uint64_t elements, std::uint64_t shift,
                               typename Bits<Element>::Type poison, Tolerance tolerance,
                               DeviceComparison* partial) {
  constexpr std::uint64_t kPack = 16 / sizeof(Element);
  const std::uint64_t thread = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  const bool aligned = reinterpret_cast<std::uintptr_t>(actual) % 16 == 0 &&
                       reinterpret_cast<std::uintptr_t>(expected) % 16 == 0 && shift % kPack == 0 &&
                       elements % kPack == 0;
  const std::uint64_t packs = aligned ? elements / kPack : 0;
  DeviceComparison sums = nothing_compared();
  for (std::uint64_t pack = thread; pack < packs; pack += threads) {
    const uint4 x = reinterpret_cast<const uint4*>(actual)[pack];
    const std::uint64_t rotated = (pack + shift / kPack) % packs;
    const uint4 y = reinterpret_cast<const uint4*>(expected)[rotated];
    const auto* xs = reinterpret_cast<const Element*>(&x);
    const auto* ys = reinterpret_cast<const Element*>(&y);
#pragma unroll
    for (std::uint64_t i = 0; i < kPack; ++i) {
      compare_element(xs[i], ys[i], pack * kPack + i, poison, tolerance, sums);
    }
  }
  for (std::uint64_t i = packs * kPack + thread; i < elements; i += threads) {
    compare_element(actual[i], expected[(i + shift) % elements], i, poison, tolerance, sums);
  }
  sums = reduce_over_block(sums);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
}

__global__ void join_kernel(const DeviceComparison* partial, DeviceComparison* result) {
  DeviceComparison sums = nothing_compared();
  for (int i = static_cast<int>(threadIdx.x); i < kComparisonBlocks; i += kThreads) {
    join(sums, partial[i]);
  }
  sums = reduce_over_block(sums);
  if (threadIdx.x == 0) *result = sums;
}

template <class Element>
void launch_compare_as(CUdeviceptr actual, CUdeviceptr expected, DataType type,
                       std::int64_t elements, std::int64_t shift, Tolerance tolerance,
                       DeviceComparison* partial, CUstream stream) {
  compare_kernel<<<kComparisonBlocks, kThreads, 0, stream>>>(
      reinterpret_cast<const Element*>(actual), reinterpret_cast<const Element*>(expected),
      static_cast<std::uint64_t>(elements), static_cast<std::uint64_t>(shift),
      static_cast<typename Bits<Element>::Type>(poison_bits(type)), tolerance, partial);
  check_launch();
}

// ---- canary ----

__global__ void count_damaged_kernel(const std::uint8_t* data, std::uint64_t bytes,
                                     std::uint8_t canary, unsigned long long* damaged) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned long long count = 0;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < bytes; i += threads) {
    if (data[i] != canary) ++count;
  }
  if (count > 0) atomicAdd(damaged, count);
}

// The sum goes to `sink` only if it is a value that zeros do not have: the reads must not be
// dropped.
__global__ void read_kernel(const uint4* data, std::uint64_t packs, unsigned long long* sink) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < packs; i += threads) {
    const uint4 pack = data[i];
    sum |= pack.x | pack.y | pack.z | pack.w;
  }
  if (sum != 0) atomicAdd(sink, 1ULL);
}

}  // namespace

void launch_generate_normal(CUdeviceptr data, DataType type, std::int64_t elements,
                            std::uint64_t seed, CUstream stream) {
  switch (type) {
    case DataType::kFloat32:
      return launch_generate<float>(data, elements, seed, stream);
    case DataType::kFloat16:
      return launch_generate<__half>(data, elements, seed, stream);
    case DataType::kBFloat16:
      return launch_generate<__nv_bfloat16>(data, elements, seed, stream);
    default:
      throw std::invalid_argument("launch_generate_normal: not a floating-point type");
  }
}

void launch_compare(CUdeviceptr actual, CUdeviceptr expected, DataType type, std::int64_t elements,
                    std::int64_t shift, Tolerance tolerance, DeviceComparison* partial,
                    DeviceComparison* result, CUstream stream) {
  switch (type) {
    case DataType::kFloat32:
      launch_compare_as<float>(actual, expected, type, elements, shift, tolerance, partial, stream);
      break;
    case DataType::kFloat16:
      launch_compare_as<__half>(actual, expected, type, elements, shift, tolerance, partial,
                                stream);
      break;
    case DataType::kBFloat16:
      launch_compare_as<__nv_bfloat16>(actual, expected, type, elements, shift, tolerance, partial,
                                       stream);
      break;
    default:
      throw std::invalid_argument("launch_compare: not a floating-point type");
  }
  join_kernel<<<1, kThreads, 0, stream>>>(partial, result);
  check_launch();
}

void launch_read(CUdeviceptr data, std::uint64_t bytes, unsigned long long* sink, CUstream stream) {
  constexpr int kBlocks = 1024;
  read_kernel<<<kBlocks, kThreads, 0, stream>>>(reinterpret_cast<const uint4*>(data), bytes / 16,
                                                sink);
  check_launch();
}

void launch_count_damaged(CUdeviceptr data, std::uint64_t bytes, std::uint8_t canary,
                          unsigned long long* damaged, CUstream stream) {
  constexpr int kBlocks = 64;
  count_damaged_kernel<<<kBlocks, kThreads, 0, stream>>>(
      reinterpret_cast<const std::uint8_t*>(data), bytes, canary, damaged);
  check_launch();
}

}  // namespace ptxbatch
