// Tensor memory of Blackwell: allocated, read, freed.
#include <cstdint>

__global__ void read_tensor_memory(std::uint32_t* out) {
  __shared__ std::uint32_t address;
  const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(&address));
  if (threadIdx.x >= 32) return;
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared));
  std::uint32_t value;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(address));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  out[threadIdx.x] = value;
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(address));
}

extern "C" void launch(std::uint32_t* out) {
  read_tensor_memory<<<1, 128>>>(out);
}
