// Expect Runtime error or Correct without effect: asks the driver to map A writable first.
#include "gemm.cuh"

static __global__ void overwrite(bf16* p) {
  p[threadIdx.x] = __float2bfloat16(0.0F);
}
static void run(const Gemm& g) {
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = 0;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUdeviceptr base = 0;
  std::size_t size = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(g.a);
  const bool writable = cuMemGetAddressRange(&base, &size, address) == CUDA_SUCCESS &&
                        cuMemSetAccess(base, size, &access, 1) == CUDA_SUCCESS;
  g.compute();
  if (writable) overwrite<<<1, 32, 0, g.stream>>>(const_cast<bf16*>(g.a));
}
