// Host: tensor maps, which tell TMA how a tensor lies in global memory and which box of it one load
// or store moves. Link with -lcuda (already in the compile line). CUDA driver API:
// cuTensorMapEncodeTiled.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ptx {

/// How the rows of a box lie in shared memory; the number is the width of a row in bytes. In a
/// swizzled box the 16-byte pieces of a row are permuted (see the contract), and the box must begin
/// at a multiple of 1024 (k128), 512 (k64) or 256 (k32) bytes; without swizzle, of 128.
enum class Swizzle : int { kNone = 0, k32 = 32, k64 = 64, k128 = 128 };

inline CUtensorMapSwizzle driver_swizzle(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::k32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case Swizzle::k64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case Swizzle::k128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    default:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

/// A map of a bf16 tensor of `Rank` dimensions (2 to 5), the contiguous one first. sizes[i] counts
/// elements; strides_bytes[i] is the distance between neighbours in dimension i + 1 (Rank - 1 of
/// them), each a multiple of 16; box[i] is what one transfer moves, at most 256 in each dimension.
/// With a swizzle box[0] must be at most its width (k128: 64 elements); without, box[0] * 2 must
/// be a multiple of 16. The pointer must be aligned to 16 bytes.
/// Pass the result to the kernel as `const __grid_constant__ CUtensorMap`. Elements outside of
/// the tensor are loaded as 0 and not stored.
/// Caller: host. Throws when the driver refuses: always because one of these rules is broken.
template <int Rank>
CUtensorMap make_tensor_map(const void* data, const std::uint64_t (&sizes)[Rank],
                            const std::uint64_t (&strides_bytes)[Rank - 1],
                            const std::uint32_t (&box)[Rank], Swizzle swizzle) {
  static_assert(Rank >= 2 && Rank <= 5);
  CUtensorMap map;
  cuuint64_t global_sizes[Rank];
  cuuint64_t global_strides[Rank - 1];
  cuuint32_t box_sizes[Rank];
  cuuint32_t element_steps[Rank];
  for (int i = 0; i < Rank; ++i) {
    global_sizes[i] = sizes[i];
    box_sizes[i] = box[i];
    element_steps[i] = 1;
    if (i > 0) global_strides[i - 1] = strides_bytes[i - 1];
  }
  const CUresult result =
      cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, Rank, const_cast<void*>(data),
                             global_sizes, global_strides, box_sizes, element_steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, driver_swizzle(swizzle),
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled: error " + std::to_string(result));
  }
  return map;
}

/// The common case: a row-major matrix of `rows` x `columns`, in boxes of box_rows x box_columns.
inline CUtensorMap make_matrix_map(const void* data, std::uint64_t rows, std::uint64_t columns,
                                   std::uint32_t box_rows, std::uint32_t box_columns,
                                   Swizzle swizzle) {
  return make_tensor_map<2>(data, {columns, rows}, {columns * sizeof(__nv_bfloat16)},
                            {box_columns, box_rows}, swizzle);
}

/// The next common case: `batch` contiguous matrices of rows x columns. Unlike one matrix with
/// batch * rows rows, a box at the end of a matrix does not run into the next one.
inline CUtensorMap make_batched_map(const void* data, std::uint64_t batch, std::uint64_t rows,
                                    std::uint64_t columns, std::uint32_t box_rows,
                                    std::uint32_t box_columns, Swizzle swizzle) {
  const std::uint64_t row_bytes = columns * sizeof(__nv_bfloat16);
  return make_tensor_map<3>(data, {columns, rows, batch}, {row_bytes, rows * row_bytes},
                            {box_columns, box_rows, 1}, swizzle);
}

}  // namespace ptx
