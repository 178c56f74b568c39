// One wgmma of Hopper. It multiplies zeros: only its presence in the binary matters.
__global__ void multiply(float* out) {
  __shared__ alignas(1024) char tile[16384];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) reinterpret_cast<float*>(tile)[i] = 0.0f;
  asm volatile("fence.proxy.async;");
  __syncthreads();
  float d[4] = {0, 0, 0, 0};
  const unsigned long long descriptor = (__cvta_generic_to_shared(tile) & 0x3FFFF) >> 4;
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, 1,1,1,0,0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(descriptor), "l"(descriptor));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  out[blockIdx.x * blockDim.x + threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

extern "C" void launch(float* out) {
  multiply<<<1, 128>>>(out);
}
