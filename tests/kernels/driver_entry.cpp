// cuTensorMapEncodeTiled without linking libcuda, which machines without a GPU do not have: the
// runtime finds it in the driver at the first call.
#include <cuda.h>
#include <cuda_runtime.h>

#undef cuTensorMapEncodeTiled

extern "C" CUresult cuTensorMapEncodeTiled(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* data,
    const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
    const cuuint32_t* element_steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                       cudaEnableDefault, &found) != cudaSuccess ||
      function == nullptr) {
    return CUDA_ERROR_NOT_FOUND;
  }
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
      map, type, rank, data, sizes, strides, box, element_steps, interleave, swizzle, promotion,
      fill);
}
