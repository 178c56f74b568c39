// One kernel for each function of the Blackwell pack that the Hopper pack does not have, named
// after it, and the descriptors bit for bit: blackwell_pack_test compiles this behind the pack's
// headers and looks for the instruction that each name promises.
using ptx::Swizzle;
extern __shared__ char memory[];

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(128, 1) name
#define BARRIER reinterpret_cast<std::uint64_t*>(memory)
#define RESULT reinterpret_cast<std::uint32_t*>(memory)
#define MAP const __grid_constant__ CUtensorMap map

// PTX ISA, "Instruction descriptor", kind::f16: D float is 1 at bit 4; A and B bf16 are 1 at bits 7
// and 10; negations at 13 and 14, mn-major at 15 and 16, N / 8 from 17, M / 16 from 24.
constexpr std::uint32_t kTypes = 1U << 4 | 1U << 7 | 1U << 10;
static_assert(ptx::instruction_descriptor(128, 256) == (kTypes | 32U << 17 | 8U << 24), "M, N");
static_assert(ptx::instruction_descriptor(128, 256) == 0x08400490U, "as the contract says");
static_assert(ptx::instruction_descriptor(128, 256, false, true) == 0x08410490U, "B mn-major");
static_assert(ptx::instruction_descriptor(256, 256) == 0x10400490U, "of a pair");
static_assert(ptx::instruction_descriptor(64, 8, true, false) ==
                  (kTypes | 1U << 15 | 1U << 17 | 4U << 24),
              "A mn-major");
static_assert(ptx::instruction_descriptor(128, 16, false, false, true, true) ==
                  (kTypes | 1U << 13 | 1U << 14 | 2U << 17 | 8U << 24),
              "negated");

// PTX ISA, "Shared memory descriptor": address, leading and stride offset in units of 16 bytes from
// bits 0, 16 and 32, the constant 1 at bit 46, the swizzle from bit 61.
static_assert(ptx::operand_descriptor(0x400, 0, 0, Swizzle::kNone) == (0x40ULL | 1ULL << 46), "");
static_assert(ptx::operand_descriptor(0, 8192, 0, Swizzle::k128) ==
                  (512ULL << 16 | 1ULL << 46 | 2ULL << 61),
              "");
static_assert(ptx::operand_descriptor(0, 0, 512, Swizzle::k64) ==
                  (32ULL << 32 | 1ULL << 46 | 4ULL << 61),
              "");
static_assert(ptx::operand_descriptor(0, 16, 256, Swizzle::k32) ==
                  (1ULL << 16 | 16ULL << 32 | 1ULL << 46 | 6ULL << 61),
              "");
static_assert(ptx::tmem_offset(0x00100020U, 32, 5) == 0x00300025U, "lane << 16 | column");

KERNEL(tmem_allocate)() {
  ptx::tmem_allocate<128>(RESULT);
}
KERNEL(tmem_allocate_pair)() {
  ptx::tmem_allocate<128, true>(RESULT);
}
KERNEL(tmem_free)() {
  ptx::tmem_free<128>(*RESULT);
}
KERNEL(tmem_free_pair)() {
  ptx::tmem_free<128, true>(*RESULT);
}
KERNEL(tmem_allocate_no_more)() {
  ptx::tmem_allocate_no_more();
}

template <int N>
__device__ void there_and_back(std::uint32_t* out, std::uint32_t address) {
  std::uint32_t values[N];
  ptx::tmem_load<N>(values, ptx::tmem_offset(address, ptx::tmem_first_lane(), 0));
  ptx::tmem_wait_load();
  ptx::keep_values(values);
  for (int i = 0; i < N; ++i) out[threadIdx.x * N + i] = values[i];
  ptx::tmem_store<N>(ptx::tmem_offset(address, ptx::tmem_first_lane(), 128), values);
  ptx::tmem_wait_store();
}
#define THERE_AND_BACK(n)                                        \
  KERNEL(tmem_##n)(std::uint32_t * out, std::uint32_t address) { \
    there_and_back<n>(out, address);                             \
  }
THERE_AND_BACK(1)
THERE_AND_BACK(2)
THERE_AND_BACK(4)
THERE_AND_BACK(8)
THERE_AND_BACK(16)
THERE_AND_BACK(32)
THERE_AND_BACK(64)
THERE_AND_BACK(128)

KERNEL(tmem_fences)() {
  ptx::tmem_fence_before();
  __syncthreads();
  ptx::tmem_fence_after();
}

#define ONE_THREAD(name, ...)    \
  KERNEL(name)(int accumulate) { \
    if (threadIdx.x == 0) {      \
      __VA_ARGS__;               \
    }                            \
  }
ONE_THREAD(mma_ss, ptx::mma_ss(0, ptx::k_major<Swizzle::k128>(memory),
                               ptx::mn_major<Swizzle::k128>(memory, 8192),
                               ptx::instruction_descriptor(128, 256, false, true), accumulate))
ONE_THREAD(mma_ss_pair, ptx::mma_ss<true>(0, ptx::k_major<Swizzle::k128>(memory),
                                          ptx::k_major<Swizzle::k64>(memory),
                                          ptx::instruction_descriptor(256, 256), accumulate))
ONE_THREAD(mma_ts, ptx::mma_ts(0, 256, ptx::mn_major<Swizzle::k128>(memory, 8192),
                               ptx::instruction_descriptor(128, 128, false, true), accumulate))
ONE_THREAD(mma_ts_pair,
           ptx::mma_ts<true>(0, 256, ptx::mn_major<Swizzle::k128>(memory, 8192),
                             ptx::instruction_descriptor(256, 128, false, true), accumulate))
ONE_THREAD(mma_commit, ptx::mma_commit(BARRIER + accumulate))
ONE_THREAD(mma_commit_pair, ptx::mma_commit<true>(BARRIER + accumulate))
ONE_THREAD(mma_commit_multicast, ptx::mma_commit_multicast(BARRIER + accumulate, 3))
ONE_THREAD(tmem_copy_128x256b,
           ptx::tmem_copy_128x256b(accumulate, ptx::k_major<Swizzle::k128>(memory)))

KERNEL(leads_pair)(int* out) {
  *out = ptx::leads_pair();
}
KERNEL(tma_load_2d_pair)(MAP) {
  ptx::tma_load_2d_pair(memory + 1024, &map, BARRIER, 1, 2);
}
KERNEL(tma_load_3d_pair)(MAP) {
  ptx::tma_load_3d_pair(memory + 1024, &map, BARRIER, 1, 2, 3);
}
KERNEL(tma_load_2d_pair_multicast)(MAP) {
  ptx::tma_load_2d_pair_multicast(memory + 1024, &map, BARRIER, 1, 2, 3);
}
KERNEL(request_work)() {
  ptx::request_work(reinterpret_cast<ptx::WorkAnswer*>(memory + 16), BARRIER);
}
KERNEL(request_work_for_cluster)() {
  ptx::request_work_for_cluster(reinterpret_cast<ptx::WorkAnswer*>(memory + 16), BARRIER);
}
KERNEL(read_work)(int* out) {
  dim3 block;
  if (ptx::read_work(reinterpret_cast<ptx::WorkAnswer*>(memory + 16), block)) *out = block.x;
}

KERNEL(fma_floats)(std::uint64_t* x) {
  *x = ptx::fma_floats(x[0], x[1], x[2]);
}
KERNEL(multiply_floats)(std::uint64_t* x) {
  *x = ptx::multiply_floats(x[0], x[1]);
}
KERNEL(add_floats)(std::uint64_t* x) {
  *x = ptx::add_floats(x[0], x[1]);
}
KERNEL(max_of_three)(float* x) {
  *x = ptx::max_of_three(x[0], x[1], x[2]);
}
KERNEL(pack_floats)(float* x) {
  float low;
  float high;
  ptx::unpack_floats(ptx::add_floats(ptx::pack_floats(x[0], x[1]), ptx::pack_floats(x[2], x[3])),
                     low, high);
  x[4] = low - high;
}
