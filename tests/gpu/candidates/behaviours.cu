// Candidates for the GPU judge, one a build: -DBEHAVIOUR=name chooses what a call does. They
// compute C = A B^T in bfloat16, simply, and speak TVM-FFI's C ABI without its headers of
// templates, so that each compiles in a second or two.
#include <cuda.h>
#include <cuda_bf16.h>
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace {

using Element = __nv_bfloat16;

struct Gemm {
  const Element* a;
  const Element* b;
  Element* c;
  int m, n, k;
};

Gemm gemm_of(const TVMFFIAny* args) {
  const auto* a = static_cast<const DLTensor*>(args[0].v_ptr);
  const auto* b = static_cast<const DLTensor*>(args[1].v_ptr);
  const auto* c = static_cast<const DLTensor*>(args[2].v_ptr);
  return {static_cast<const Element*>(a->data), static_cast<const Element*>(b->data),
          static_cast<Element*>(c->data),       static_cast<int>(a->shape[0]),
          static_cast<int>(b->shape[0]),        static_cast<int>(a->shape[1])};
}

// A thread an element of C.
__global__ void multiply(Gemm g, int first_row) {
  const int row = first_row + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= g.m || column >= g.n) return;
  float sum = 0;
  for (int i = 0; i < g.k; ++i) {
    sum += __bfloat162float(g.a[static_cast<long>(row) * g.k + i]) *
           __bfloat162float(g.b[static_cast<long>(column) * g.k + i]);
  }
  g.c[static_cast<long>(row) * g.n + column] = __float2bfloat16(sum);
}

void launch(const Gemm& g, cudaStream_t stream = nullptr, int first_row = 0) {
  const dim3 threads(16, 16);
  const dim3 blocks((g.n + 15) / 16, (g.m - first_row + 15) / 16);
  multiply<<<blocks, threads, 0, stream>>>(g, first_row);
}

// ---- honest ----

void correct(const Gemm& g) {
  launch(g);
}

void on_two_streams(const Gemm& g) {
  static cudaStream_t side = [] {
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
  }();
  static cudaEvent_t joined = [] {
    cudaEvent_t event = nullptr;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    return event;
  }();
  Gemm top = g;
  top.m = g.m / 2;
  launch(top);
  launch(g, side, g.m / 2);
  cudaEventRecord(joined, side);
  cudaStreamWaitEvent(nullptr, joined);
}

void by_graph(const Gemm& g) {
  static cudaGraphExec_t exec = nullptr;
  static cudaStream_t stream = nullptr;
  if (exec == nullptr) {
    cudaGraph_t graph = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    launch(g, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
  }
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
}

void with_copy_and_fill(const Gemm& g) {
  static Element* copy = nullptr;
  const std::size_t bytes = sizeof(Element) * g.m * g.k;
  if (copy == nullptr) cudaMalloc(&copy, bytes);
  cudaMemsetAsync(copy, 0, bytes);
  cudaMemcpyAsync(copy, g.a, bytes, cudaMemcpyDeviceToDevice);
  Gemm copied = g;
  copied.a = copy;
  launch(copied);
}

// ---- faults ----

__global__ void write_far_away(Element* c) {
  c[1L << 40U] = __float2bfloat16(1);
}
void illegal_access(const Gemm& g) {
  launch(g);
  write_far_away<<<1, 1>>>(g.c);
}

__global__ void write_at(Element* c, long index) {
  c[index] = __float2bfloat16(1);
}
void writes_just_behind_the_output(const Gemm& g) {
  launch(g);
  write_at<<<1, 1>>>(g.c, static_cast<long>(g.m) * g.n);
}
void writes_just_before_the_output(const Gemm& g) {
  launch(g);
  write_at<<<1, 1>>>(g.c, -1);
}
void writes_into_an_input(const Gemm& g) {
  launch(g);
  write_at<<<1, 1>>>(const_cast<Element*>(g.a), 0);
}

__global__ void read_misaligned(const char* from, int4* to) {
  *to = *reinterpret_cast<const int4*>(from + 2);
}
void misaligned(const Gemm& g) {
  read_misaligned<<<1, 1>>>(reinterpret_cast<const char*>(g.a), reinterpret_cast<int4*>(g.c));
  launch(g);
}

__global__ void wait_for_nobody() {
  __shared__ unsigned long long barrier;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address));
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@!done bra again;\n}\n" ::"r"(address)
      : "memory");
}
void deadlocked_mbarrier(const Gemm& g) {
  launch(g);
  wait_for_nobody<<<1, 32>>>();
}

__global__ void spin(volatile int* forever) {
  while (*forever == 0) {
  }
}
void endless_kernel(const Gemm& g) {
  static int* flag = nullptr;
  if (flag == nullptr) {
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
  }
  launch(g);
  spin<<<132, 1024>>>(flag);
}

__global__ void trap_at_once() {
  asm volatile("trap;");
}
void traps(const Gemm& g) {
  launch(g);
  trap_at_once<<<1, 1>>>();
}

__device__ int recurse(volatile int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? room[0] : recurse(depth - 1) + room[0];
}
__global__ void use_much_stack(int* out) {
  *out = recurse(100000);
}
void huge_stack(const Gemm& g) {
  launch(g);
  use_much_stack<<<1, 1>>>(reinterpret_cast<int*>(g.c));
}

void leaks_most_of_the_memory(const Gemm& g) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cudaMemGetInfo(&free_bytes, &total_bytes);
  void* leaked = nullptr;
  cudaMalloc(&leaked, free_bytes / 10 * 9);
  launch(g);
}

void resets_the_device(const Gemm& g) {
  launch(g);
  cudaDeviceReset();
}
void exits(const Gemm& g) {
  launch(g);
  std::exit(0);
}
void aborts(const Gemm& /*g*/) {
  std::abort();
}
void launches_nothing(const Gemm& /*g*/) {}
void wrong_values(const Gemm& g) {
  Gemm half = g;
  half.k = g.k / 2;
  launch(half);
}
void cannot_be_launched(const Gemm& g) {
  multiply<<<dim3(1, 1), dim3(64, 64)>>>(g, 0);
}

// ---- dishonest ----

void side_stream_without_waiting(const Gemm& g) {
  static cudaStream_t side = [] {
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
  }();
  launch(g, side);
}

void keeps_its_result(const Gemm& g) {
  static Element* kept = nullptr;
  const std::size_t bytes = sizeof(Element) * g.m * g.n;
  if (kept == nullptr) {
    cudaMalloc(&kept, bytes);
    launch(g);
    cudaMemcpy(kept, g.c, bytes, cudaMemcpyDeviceToDevice);
  } else {
    cudaMemcpyAsync(g.c, kept, bytes, cudaMemcpyDeviceToDevice);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void* /*self*/,
                                                                    const TVMFFIAny* args,
                                                                    int32_t /*num_args*/,
                                                                    TVMFFIAny* /*result*/) {
  BEHAVIOUR(gemm_of(args));
  return 0;
}
