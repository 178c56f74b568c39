// Tensor memory (TMEM): 128 lanes x 512 columns of 32 bits a multiprocessor, where tcgen05.mma
// keeps its accumulators. It is allocated by columns, addressed as lane << 16 | column, and reached
// only by tcgen05 instructions. PTX ISA: "Tensor Memory", tcgen05.alloc, .ld, .st, .wait, .fence.
#pragma once

#include "thread.cuh"

namespace ptx {

inline constexpr int kTmemLanes = 128;
inline constexpr int kTmemColumns = 512;

/// Allocates `Columns` columns of all lanes and writes their address to `*result` (shared memory);
/// waits until there are enough. Pair says that two blocks of a pair allocate together: both must
/// do it, and use cta_group 2 throughout. Caller: one whole warp of the block. Columns: 32, 64,
/// 128, 256 or 512. Then tmem_fence_before(), a block-wide barrier, tmem_fence_after() before
/// others read *result.
template <int Columns, bool Pair = false>
__device__ __forceinline__ void tmem_allocate(std::uint32_t* result) {
  static_assert(Columns >= 32 && Columns <= 512 && (Columns & (Columns - 1)) == 0);
  if constexpr (Pair) {
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     shared_address(result)),
                 "r"(Columns)
                 : "memory");
  } else {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     shared_address(result)),
                 "r"(Columns)
                 : "memory");
  }
}

/// Frees what tmem_allocate gave. Every block must free all before it exits.
/// Caller: one whole warp (with Pair: one warp of each block), after all use is over.
template <int Columns, bool Pair = false>
__device__ __forceinline__ void tmem_free(std::uint32_t address) {
  if constexpr (Pair) {
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address),
                 "r"(Columns)
                 : "memory");
  } else {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address),
                 "r"(Columns)
                 : "memory");
  }
}

/// Says that this block will not allocate again, so that a block waiting on the same multiprocessor
/// can.
/// Caller: one whole warp, after its last allocation.
template <bool Pair = false>
__device__ __forceinline__ void tmem_allocate_no_more() {
  if constexpr (Pair) {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
  } else {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
}

/// The address `lanes` lanes and `columns` columns further.
__host__ __device__ constexpr std::uint32_t tmem_offset(std::uint32_t address, int lanes,
                                                        int columns) {
  return address + (static_cast<std::uint32_t>(lanes) << 16) + static_cast<std::uint32_t>(columns);
}

/// The first lane that this warp may read and write: 32 for each warp of its warpgroup. Reading
/// other lanes is undefined.
__device__ __forceinline__ int tmem_first_lane() {
  return (warp_index() % 4) * 32;
}

/// Orders this thread's tcgen05 operations before the barrier or arrival that follows.
/// Caller: every thread whose work others will rely on.
__device__ __forceinline__ void tmem_fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

/// Orders this thread's tcgen05 operations after the barrier or wait in front of it.
/// Caller: every thread that goes on with tcgen05 operations after a barrier.
__device__ __forceinline__ void tmem_fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/// Waits for this thread's tmem_load: only then do its registers hold the values.
/// Caller: the whole warp. Then keep_values() on the registers.
__device__ __forceinline__ void tmem_wait_load() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

/// Waits for this thread's tmem_store.
__device__ __forceinline__ void tmem_wait_store() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

/// Tells the compiler that loaded registers changed here, so that no use moves in front of the
/// wait.
template <int Count>
__device__ __forceinline__ void keep_values(std::uint32_t (&values)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(values[i])::"memory");
}

// Loads and stores of shape 32x32b: lane l of the warp has row l of the warp's 32 lanes, values[i]
// is column i. So with an accumulator of 128 rows each thread of a warpgroup has a whole row:
// reductions over it need no shuffle.

/// Loads N columns of the warp's 32 lanes from `address` on (the lane part must be a multiple of 32
/// and belong to this warp). Asynchronous until tmem_wait_load().
/// Caller: the whole warp, with the same address. N: 1, 2, 4, 8, 16, 32, 64, 128; as many
/// registers.
template <int N>
__device__ void tmem_load(std::uint32_t (&values)[N], std::uint32_t address);

/// Stores in the same shape. Asynchronous until tmem_wait_store(); a tcgen05.mma that reads it (A
/// from TMEM) also needs tmem_fence_before(), a barrier, and tmem_fence_after() in the issuing
/// thread.
template <int N>
__device__ void tmem_store(std::uint32_t address, const std::uint32_t (&values)[N]);

template <>
__device__ __forceinline__ void tmem_load<1>(std::uint32_t (&v)[1], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {"
      "%0"
      "}, [%1];"
      : "=r"(v[0])
      : "r"(address));
}

template <>
__device__ __forceinline__ void tmem_load<2>(std::uint32_t (&v)[2], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x2.b32 {"
      "%0, %1"
      "}, [%2];"
      : "=r"(v[0]), "=r"(v[1])
      : "r"(address));
}

template <>
__device__ __forceinline__ void tmem_load<4>(std::uint32_t (&v)[4], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x4.b32 {"
      "%0, %1, %2, %3"
      "}, [%4];"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
      : "r"(address));
}

template <>
__device__ __forceinline__ void tmem_load<8>(std::uint32_t (&v)[8], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x8.b32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7"
      "}, [%8];"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]),
        "=r"(v[7])
      : "r"(address));
}

template <>
__device__ __forceinline__ void tmem_load<16>(std::uint32_t (&v)[16], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x16.b32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
      "}, [%16];"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]),
        "=r"(v[7]), "=r"(v[8]), "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13]),
        "=r"(v[14]), "=r"(v[15])
      : "r"(address));
}

template <>
__device__ __forceinline__ void tmem_load<32>(std::uint32_t (&v)[32], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
      "}, [%32];"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]),
        "=r"(v[7]), "=r"(v[8]), "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13]),
        "=r"(v[14]), "=r"(v[15]), "=r"(v[16]), "=r"(v[17]), "=r"(v[18]), "=r"(v[19]), "=r"(v[20]),
        "=r"(v[21]), "=r"(v[22]), "=r"(v[23]), "=r"(v[24]), "=r"(v[25]), "=r"(v[26]), "=r"(v[27]),
        "=r"(v[28]), "=r"(v[29]), "=r"(v[30]), "=r"(v[31])
      : "r"(address));
}

template <>
__device__ __forceinline__ void tmem_load<64>(std::uint32_t (&v)[64], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x64.b32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
      "}, [%64];"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]),
        "=r"(v[7]), "=r"(v[8]), "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13]),
        "=r"(v[14]), "=r"(v[15]), "=r"(v[16]), "=r"(v[17]), "=r"(v[18]), "=r"(v[19]), "=r"(v[20]),
        "=r"(v[21]), "=r"(v[22]), "=r"(v[23]), "=r"(v[24]), "=r"(v[25]), "=r"(v[26]), "=r"(v[27]),
        "=r"(v[28]), "=r"(v[29]), "=r"(v[30]), "=r"(v[31]), "=r"(v[32]), "=r"(v[33]), "=r"(v[34]),
        "=r"(v[35]), "=r"(v[36]), "=r"(v[37]), "=r"(v[38]), "=r"(v[39]), "=r"(v[40]), "=r"(v[41]),
        "=r"(v[42]), "=r"(v[43]), "=r"(v[44]), "=r"(v[45]), "=r"(v[46]), "=r"(v[47]), "=r"(v[48]),
        "=r"(v[49]), "=r"(v[50]), "=r"(v[51]), "=r"(v[52]), "=r"(v[53]), "=r"(v[54]), "=r"(v[55]),
        "=r"(v[56]), "=r"(v[57]), "=r"(v[58]), "=r"(v[59]), "=r"(v[60]), "=r"(v[61]), "=r"(v[62]),
        "=r"(v[63])
      : "r"(address));
}

template <>
__device__ __forceinline__ void tmem_load<128>(std::uint32_t (&v)[128], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x128.b32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
      "%127"
      "}, [%128];"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]),
        "=r"(v[7]), "=r"(v[8]), "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13]),
        "=r"(v[14]), "=r"(v[15]), "=r"(v[16]), "=r"(v[17]), "=r"(v[18]), "=r"(v[19]), "=r"(v[20]),
        "=r"(v[21]), "=r"(v[22]), "=r"(v[23]), "=r"(v[24]), "=r"(v[25]), "=r"(v[26]), "=r"(v[27]),
        "=r"(v[28]), "=r"(v[29]), "=r"(v[30]), "=r"(v[31]), "=r"(v[32]), "=r"(v[33]), "=r"(v[34]),
        "=r"(v[35]), "=r"(v[36]), "=r"(v[37]), "=r"(v[38]), "=r"(v[39]), "=r"(v[40]), "=r"(v[41]),
        "=r"(v[42]), "=r"(v[43]), "=r"(v[44]), "=r"(v[45]), "=r"(v[46]), "=r"(v[47]), "=r"(v[48]),
        "=r"(v[49]), "=r"(v[50]), "=r"(v[51]), "=r"(v[52]), "=r"(v[53]), "=r"(v[54]), "=r"(v[55]),
        "=r"(v[56]), "=r"(v[57]), "=r"(v[58]), "=r"(v[59]), "=r"(v[60]), "=r"(v[61]), "=r"(v[62]),
        "=r"(v[63]), "=r"(v[64]), "=r"(v[65]), "=r"(v[66]), "=r"(v[67]), "=r"(v[68]), "=r"(v[69]),
        "=r"(v[70]), "=r"(v[71]), "=r"(v[72]), "=r"(v[73]), "=r"(v[74]), "=r"(v[75]), "=r"(v[76]),
        "=r"(v[77]), "=r"(v[78]), "=r"(v[79]), "=r"(v[80]), "=r"(v[81]), "=r"(v[82]), "=r"(v[83]),
        "=r"(v[84]), "=r"(v[85]), "=r"(v[86]), "=r"(v[87]), "=r"(v[88]), "=r"(v[89]), "=r"(v[90]),
        "=r"(v[91]), "=r"(v[92]), "=r"(v[93]), "=r"(v[94]), "=r"(v[95]), "=r"(v[96]), "=r"(v[97]),
        "=r"(v[98]), "=r"(v[99]), "=r"(v[100]), "=r"(v[101]), "=r"(v[102]), "=r"(v[103]),
        "=r"(v[104]), "=r"(v[105]), "=r"(v[106]), "=r"(v[107]), "=r"(v[108]), "=r"(v[109]),
        "=r"(v[110]), "=r"(v[111]), "=r"(v[112]), "=r"(v[113]), "=r"(v[114]), "=r"(v[115]),
        "=r"(v[116]), "=r"(v[117]), "=r"(v[118]), "=r"(v[119]), "=r"(v[120]), "=r"(v[121]),
        "=r"(v[122]), "=r"(v[123]), "=r"(v[124]), "=r"(v[125]), "=r"(v[126]), "=r"(v[127])
      : "r"(address));
}

template <>
__device__ __forceinline__ void tmem_store<1>(std::uint32_t address, const std::uint32_t (&v)[1]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {"
      "%1"
      "};" ::"r"(address),
      "r"(v[0])
      : "memory");
}

template <>
__device__ __forceinline__ void tmem_store<2>(std::uint32_t address, const std::uint32_t (&v)[2]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x2.b32 [%0], {"
      "%1, %2"
      "};" ::"r"(address),
      "r"(v[0]), "r"(v[1])
      : "memory");
}

template <>
__device__ __forceinline__ void tmem_store<4>(std::uint32_t address, const std::uint32_t (&v)[4]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {"
      "%1, %2, %3, %4"
      "};" ::"r"(address),
      "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
      : "memory");
}

template <>
__device__ __forceinline__ void tmem_store<8>(std::uint32_t address, const std::uint32_t (&v)[8]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {"
      "%1, %2, %3, %4, %5, %6, %7, %8"
      "};" ::"r"(address),
      "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7])
      : "memory");
}

template <>
__device__ __forceinline__ void tmem_store<16>(std::uint32_t address,
                                               const std::uint32_t (&v)[16]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x16.b32 [%0], {"
      "%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16"
      "};" ::"r"(address),
      "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7]),
      "r"(v[8]), "r"(v[9]), "r"(v[10]), "r"(v[11]), "r"(v[12]), "r"(v[13]), "r"(v[14]), "r"(v[15])
      : "memory");
}

template <>
__device__ __forceinline__ void tmem_store<32>(std::uint32_t address,
                                               const std::uint32_t (&v)[32]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x32.b32 [%0], {"
      "%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
      "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32"
      "};" ::"r"(address),
      "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7]),
      "r"(v[8]), "r"(v[9]), "r"(v[10]), "r"(v[11]), "r"(v[12]), "r"(v[13]), "r"(v[14]), "r"(v[15]),
      "r"(v[16]), "r"(v[17]), "r"(v[18]), "r"(v[19]), "r"(v[20]), "r"(v[21]), "r"(v[22]),
      "r"(v[23]), "r"(v[24]), "r"(v[25]), "r"(v[26]), "r"(v[27]), "r"(v[28]), "r"(v[29]),
      "r"(v[30]), "r"(v[31])
      : "memory");
}

template <>
__device__ __forceinline__ void tmem_store<64>(std::uint32_t address,
                                               const std::uint32_t (&v)[64]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x64.b32 [%0], {"
      "%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
      "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, "
      "%33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, "
      "%49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64"
      "};" ::"r"(address),
      "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7]),
      "r"(v[8]), "r"(v[9]), "r"(v[10]), "r"(v[11]), "r"(v[12]), "r"(v[13]), "r"(v[14]), "r"(v[15]),
      "r"(v[16]), "r"(v[17]), "r"(v[18]), "r"(v[19]), "r"(v[20]), "r"(v[21]), "r"(v[22]),
      "r"(v[23]), "r"(v[24]), "r"(v[25]), "r"(v[26]), "r"(v[27]), "r"(v[28]), "r"(v[29]),
      "r"(v[30]), "r"(v[31]), "r"(v[32]), "r"(v[33]), "r"(v[34]), "r"(v[35]), "r"(v[36]),
      "r"(v[37]), "r"(v[38]), "r"(v[39]), "r"(v[40]), "r"(v[41]), "r"(v[42]), "r"(v[43]),
      "r"(v[44]), "r"(v[45]), "r"(v[46]), "r"(v[47]), "r"(v[48]), "r"(v[49]), "r"(v[50]),
      "r"(v[51]), "r"(v[52]), "r"(v[53]), "r"(v[54]), "r"(v[55]), "r"(v[56]), "r"(v[57]),
      "r"(v[58]), "r"(v[59]), "r"(v[60]), "r"(v[61]), "r"(v[62]), "r"(v[63])
      : "memory");
}

template <>
__device__ __forceinline__ void tmem_store<128>(std::uint32_t address,
                                                const std::uint32_t (&v)[128]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x128.b32 [%0], {"
      "%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
      "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, "
      "%33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, "
      "%49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, "
      "%65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, "
      "%81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, "
      "%97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, "
      "%113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127, "
      "%128"
      "};" ::"r"(address),
      "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7]),
      "r"(v[8]), "r"(v[9]), "r"(v[10]), "r"(v[11]), "r"(v[12]), "r"(v[13]), "r"(v[14]), "r"(v[15]),
      "r"(v[16]), "r"(v[17]), "r"(v[18]), "r"(v[19]), "r"(v[20]), "r"(v[21]), "r"(v[22]),
      "r"(v[23]), "r"(v[24]), "r"(v[25]), "r"(v[26]), "r"(v[27]), "r"(v[28]), "r"(v[29]),
      "r"(v[30]), "r"(v[31]), "r"(v[32]), "r"(v[33]), "r"(v[34]), "r"(v[35]), "r"(v[36]),
      "r"(v[37]), "r"(v[38]), "r"(v[39]), "r"(v[40]), "r"(v[41]), "r"(v[42]), "r"(v[43]),
      "r"(v[44]), "r"(v[45]), "r"(v[46]), "r"(v[47]), "r"(v[48]), "r"(v[49]), "r"(v[50]),
      "r"(v[51]), "r"(v[52]), "r"(v[53]), "r"(v[54]), "r"(v[55]), "r"(v[56]), "r"(v[57]),
      "r"(v[58]), "r"(v[59]), "r"(v[60]), "r"(v[61]), "r"(v[62]), "r"(v[63]), "r"(v[64]),
      "r"(v[65]), "r"(v[66]), "r"(v[67]), "r"(v[68]), "r"(v[69]), "r"(v[70]), "r"(v[71]),
      "r"(v[72]), "r"(v[73]), "r"(v[74]), "r"(v[75]), "r"(v[76]), "r"(v[77]), "r"(v[78]),
      "r"(v[79]), "r"(v[80]), "r"(v[81]), "r"(v[82]), "r"(v[83]), "r"(v[84]), "r"(v[85]),
      "r"(v[86]), "r"(v[87]), "r"(v[88]), "r"(v[89]), "r"(v[90]), "r"(v[91]), "r"(v[92]),
      "r"(v[93]), "r"(v[94]), "r"(v[95]), "r"(v[96]), "r"(v[97]), "r"(v[98]), "r"(v[99]),
      "r"(v[100]), "r"(v[101]), "r"(v[102]), "r"(v[103]), "r"(v[104]), "r"(v[105]), "r"(v[106]),
      "r"(v[107]), "r"(v[108]), "r"(v[109]), "r"(v[110]), "r"(v[111]), "r"(v[112]), "r"(v[113]),
      "r"(v[114]), "r"(v[115]), "r"(v[116]), "r"(v[117]), "r"(v[118]), "r"(v[119]), "r"(v[120]),
      "r"(v[121]), "r"(v[122]), "r"(v[123]), "r"(v[124]), "r"(v[125]), "r"(v[126]), "r"(v[127])
      : "memory");
}

}  // namespace ptx
