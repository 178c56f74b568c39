// One kernel for each template function of the Hopper pack, named after it: hopper_pack_test
// compiles this behind the pack's headers and looks for the instruction that each name promises.
using ptx::Swizzle;
extern __shared__ char memory[];

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(128, 1) name
#define BARRIER reinterpret_cast<std::uint64_t*>(memory)
#define MAP const __grid_constant__ CUtensorMap map

KERNEL(elect_one)(int* out) {
  if (ptx::elect_one()) *out = 1;
}
KERNEL(warp_index)(int* out) {
  *out = ptx::warp_index();
}
KERNEL(warpgroup_index)(int* out) {
  *out = ptx::warpgroup_index();
}
KERNEL(lane_index)(int* out) {
  *out = ptx::lane_index();
}
KERNEL(decrease_registers)() {
  ptx::decrease_registers<24>();
}
KERNEL(increase_registers)() {
  ptx::increase_registers<240>();
}
KERNEL(named_barrier_sync)() {
  ptx::named_barrier_sync(1, 64);
}
KERNEL(named_barrier_arrive)() {
  ptx::named_barrier_arrive(1, 64);
}
KERNEL(fence_async_shared)() {
  ptx::fence_async_shared();
}
KERNEL(fence_async_global)() {
  ptx::fence_async_global();
}

KERNEL(barrier_init)() {
  ptx::barrier_init(BARRIER, 3);
}
KERNEL(fence_barrier_init)() {
  ptx::fence_barrier_init();
}
KERNEL(barrier_invalidate)() {
  ptx::barrier_invalidate(BARRIER);
}
KERNEL(barrier_arrive)() {
  ptx::barrier_arrive(BARRIER);
}
KERNEL(barrier_arrive_expect)() {
  ptx::barrier_arrive_expect(BARRIER, 64);
}
KERNEL(barrier_expect)() {
  ptx::barrier_expect(BARRIER, 64);
}
KERNEL(barrier_arrive_remote)() {
  ptx::barrier_arrive_remote(BARRIER, 1);
}
KERNEL(barrier_arrive_remote_relaxed)() {
  ptx::barrier_arrive_remote_relaxed(BARRIER, 1);
}
KERNEL(barrier_arrive_expect_remote)() {
  ptx::barrier_arrive_expect_remote(BARRIER, 1, 64);
}
KERNEL(barrier_test)(int* out) {
  *out = ptx::barrier_test(BARRIER, 0);
}
KERNEL(barrier_try_wait)(int* out) {
  *out = ptx::barrier_try_wait(BARRIER, 0);
}
KERNEL(barrier_wait)() {
  ptx::barrier_wait(BARRIER, 0);
}
KERNEL(barrier_wait_cluster)() {
  ptx::barrier_wait_cluster(BARRIER, 0);
}

KERNEL(cluster_rank)(int* out) {
  *out = ptx::cluster_rank();
}
KERNEL(cluster_size)(int* out) {
  *out = ptx::cluster_size();
}
KERNEL(cluster_index)(int* out) {
  *out = ptx::cluster_index();
}
KERNEL(cluster_sync)() {
  ptx::cluster_sync();
}
KERNEL(load_remote)(int* out) {
  *out = ptx::load_remote(ptx::map_to_rank(memory, 1));
}
KERNEL(store_remote)() {
  ptx::store_remote(ptx::map_to_rank(memory, 1), 7);
}

KERNEL(prefetch_tensor_map)(MAP) {
  ptx::prefetch_tensor_map(&map);
}
KERNEL(tma_load_2d)(MAP) {
  ptx::tma_load_2d(memory + 128, &map, BARRIER, 1, 2);
}
KERNEL(tma_load_2d_hint)(MAP) {
  ptx::tma_load_2d_hint(memory + 128, &map, BARRIER, 1, 2, ptx::kEvictFirst);
}
KERNEL(tma_load_3d)(MAP) {
  ptx::tma_load_3d(memory + 128, &map, BARRIER, 1, 2, 3);
}
KERNEL(tma_load_4d)(MAP) {
  ptx::tma_load_4d(memory + 128, &map, BARRIER, 1, 2, 3, 4);
}
KERNEL(tma_load_5d)(MAP) {
  ptx::tma_load_5d(memory + 128, &map, BARRIER, 1, 2, 3, 4, 5);
}
KERNEL(tma_load_2d_multicast)(MAP) {
  ptx::tma_load_2d_multicast(memory + 128, &map, BARRIER, 1, 2, 3);
}
KERNEL(tma_load_3d_multicast)(MAP) {
  ptx::tma_load_3d_multicast(memory + 128, &map, BARRIER, 1, 2, 3, 3);
}
KERNEL(tma_prefetch_2d)(MAP) {
  ptx::tma_prefetch_2d(&map, 1, 2);
}
KERNEL(tma_store_2d)(MAP) {
  ptx::tma_store_2d(&map, memory, 1, 2);
}
KERNEL(tma_store_3d)(MAP) {
  ptx::tma_store_3d(&map, memory, 1, 2, 3);
}
KERNEL(tma_store_4d)(MAP) {
  ptx::tma_store_4d(&map, memory, 1, 2, 3, 4);
}
KERNEL(tma_store_5d)(MAP) {
  ptx::tma_store_5d(&map, memory, 1, 2, 3, 4, 5);
}
KERNEL(tma_reduce_add_2d)(MAP) {
  ptx::tma_reduce_add_2d(&map, memory, 1, 2);
}
KERNEL(tma_reduce_add_3d)(MAP) {
  ptx::tma_reduce_add_3d(&map, memory, 1, 2, 3);
}
KERNEL(bulk_load)(const char* from) {
  ptx::bulk_load(memory + 128, from, 64, BARRIER);
}
KERNEL(bulk_store)(char* to) {
  ptx::bulk_store(to, memory, 64);
}
KERNEL(bulk_reduce_add_f32)(float* to) {
  ptx::bulk_reduce_add_f32(to, reinterpret_cast<float*>(memory), 64);
}
KERNEL(store_commit)() {
  ptx::store_commit();
}
KERNEL(store_wait_read)() {
  ptx::store_wait_read<0>();
}
KERNEL(store_wait)() {
  ptx::store_wait<0>();
}

KERNEL(pack_bf16)(const float* in, std::uint32_t* out) {
  *out = ptx::pack_bf16(in[0], in[1]);
}
KERNEL(load_matrix_x4)(std::uint32_t* out) {
  std::uint32_t r[4];
  ptx::load_matrix_x4(r, memory + threadIdx.x * 16);
  for (int i = 0; i < 4; ++i) out[i] = r[i];
}
KERNEL(load_matrix_x4_transposed)(std::uint32_t* out) {
  std::uint32_t r[4];
  ptx::load_matrix_x4_transposed(r, memory + threadIdx.x * 16);
  for (int i = 0; i < 4; ++i) out[i] = r[i];
}
KERNEL(store_matrix_x4)() {
  ptx::store_matrix_x4(memory + threadIdx.x * 16, 1, 2, 3, 4);
}
KERNEL(store_matrix_x4_transposed)() {
  ptx::store_matrix_x4_transposed(memory + threadIdx.x * 16, 1, 2, 3, 4);
}
KERNEL(store_accumulator_box)(const float* in) {
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = in[i];
  ptx::store_accumulator_box(memory, d, 0, threadIdx.x);
}
KERNEL(accumulator_to_a)(const float* in, std::uint32_t* out) {
  float d[8];
  std::uint32_t a[4];
  for (int i = 0; i < 8; ++i) d[i] = in[i];
  ptx::accumulator_to_a(a, d, 0);
  for (int i = 0; i < 4; ++i) out[i] = a[i];
}

KERNEL(fast_exp2)(float* x) {
  *x = ptx::fast_exp2(*x);
}
KERNEL(fast_log2)(float* x) {
  *x = ptx::fast_log2(*x);
}
KERNEL(fast_reciprocal)(float* x) {
  *x = ptx::fast_reciprocal(*x);
}
KERNEL(quad_max)(float* x) {
  x[threadIdx.x] = ptx::quad_max(x[threadIdx.x]);
}
KERNEL(quad_sum)(float* x) {
  x[threadIdx.x] = ptx::quad_sum(x[threadIdx.x]);
}

KERNEL(wgmma_fence)() {
  ptx::wgmma_fence();
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
}

// Every N, A from shared memory (mn-major, so that transposition shows) and from registers.
template <int N>
__device__ void products(float* out) {
  float d[N / 2];
  std::uint32_t a[4] = {1, 2, 3, threadIdx.x};
  ptx::keep_registers(a);
  ptx::wgmma_fence();
  ptx::wgmma_ss<N, true>(d, ptx::mn_major<Swizzle::k128>(memory, 8192),
                         ptx::k_major<Swizzle::k128>(memory), 0);
  ptx::wgmma_rs<N>(d, a, ptx::k_major<Swizzle::k64>(memory));
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::keep_registers(d);
  for (int i = 0; i < N / 2; ++i) out[i] = d[i];
}
#define PRODUCTS(n)               \
  KERNEL(wgmma_##n)(float* out) { \
    products<n>(out);             \
  }
// clang-format indents such a list further with every line.
// clang-format off
PRODUCTS(8) PRODUCTS(16) PRODUCTS(24) PRODUCTS(32) PRODUCTS(40) PRODUCTS(48) PRODUCTS(56) PRODUCTS(64)
PRODUCTS(72) PRODUCTS(80) PRODUCTS(88) PRODUCTS(96) PRODUCTS(104) PRODUCTS(112) PRODUCTS(120) PRODUCTS(128)
PRODUCTS(136) PRODUCTS(144) PRODUCTS(152) PRODUCTS(160) PRODUCTS(168) PRODUCTS(176) PRODUCTS(184) PRODUCTS(192)
PRODUCTS(200) PRODUCTS(208) PRODUCTS(216) PRODUCTS(224) PRODUCTS(232) PRODUCTS(240) PRODUCTS(248) PRODUCTS(256)
