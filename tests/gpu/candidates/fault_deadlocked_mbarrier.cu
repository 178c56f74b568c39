// Expect Kernel Execution Timeout: waits for bytes on an mbarrier that nobody will bring.
#include "gemm.cuh"

static __global__ void wait_for_ever(bf16* c) {
  __shared__ alignas(8) unsigned long long barrier;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(address)
               : "memory");
  unsigned complete = 0;
  while (complete == 0) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        "selp.b32 %0, 1, 0, p;\n}\n"
        : "=r"(complete)
        : "r"(address)
        : "memory");
  }
  c[0] = __float2bfloat16(0.0F);
}
static void run(const Gemm& g) {
  g.compute();
  wait_for_ever<<<1, 1, 0, g.stream>>>(g.c);
}
