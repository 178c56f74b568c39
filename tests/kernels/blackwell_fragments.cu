// What the fragments in the Blackwell contract assume, a kernel for each: blackwell_pack_test puts
// the contract's fragments, in their order, in place of the lines "// fragment" and compiles.
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256, 1) name

constexpr int kStages = 4;
struct Shared {
  __nv_bfloat16 a[kStages][128 * 64];
  __nv_bfloat16 b[kStages][256 * 64];
  std::uint64_t full[kStages], empty[kStages], done[2], drained[2];
  ptx::WorkAnswer answer[2];
  std::uint64_t there[2], taken[2];
  std::uint32_t tmem;
};
extern __shared__ char memory[];
__device__ __forceinline__ Shared& shared() {
  return *reinterpret_cast<Shared*>(memory);
}

KERNEL(set_up)() {
  Shared& s = shared();
  const int warp = ptx::warp_index();
  // fragment
}

KERNEL(mma_thread)(int tiles, int steps) {
  Shared& s = shared();
  if (threadIdx.x != 0) return;
  // fragment
}

KERNEL(epilogue_thread)(std::uint32_t from) {
  char* box = memory;
  const int row = threadIdx.x % 128;
  // fragment
}

KERNEL(softmax_thread)(std::uint32_t scores, std::uint32_t weights, float m, float c, float* out) {
  float sum = 0.0F;
  // fragment
  out[threadIdx.x] = sum;
}

__device__ float exp2_without_the_special_function_unit(float x) {
  // fragment
}
KERNEL(exponential)(float* x) {
  x[threadIdx.x] = exp2_without_the_special_function_unit(x[threadIdx.x]);
}

KERNEL(scheduling_thread)() {
  Shared& s = shared();
  if (threadIdx.x != 0) return;
  // fragment
}

KERNEL(another_role)(unsigned* out) {
  Shared& s = shared();
  const auto work_on = [&](dim3 tile) { out[tile.x] = tile.y; };
  // fragment
}

KERNEL(mask)(std::uint32_t* scores, int q, int keys, int key, int part) {
  std::uint32_t s[32];
  for (int i = 0; i < 32; ++i) s[i] = scores[i];
  // fragment
  for (int i = 0; i < 32; ++i) scores[i] = s[i];
}

KERNEL(maximum)(const std::uint32_t* scores, float m, float c, float* out) {
  std::uint32_t s[32];
  for (int i = 0; i < 32; ++i) s[i] = scores[i];
  // fragment
  out[0] = m;
  out[1] = factor;
  out[2] = base;
}
