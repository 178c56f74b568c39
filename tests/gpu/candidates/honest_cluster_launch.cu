// Expect Correct: clusters of two blocks, set at launch, that hand each other the halves of a sum.
#include <cooperative_groups.h>

#include "gemm.cuh"

namespace cg = cooperative_groups;

// Block `rank` of a cluster sums its half of K; block 0 adds the other's part and writes.
static __global__ void halves(const bf16* a, const bf16* b, bf16* c, int n, int k) {
  __shared__ float part[256];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  const int row = blockIdx.x / 2;
  for (int column0 = 0; column0 < n; column0 += 256) {
    const int column = column0 + static_cast<int>(threadIdx.x);
    float sum = 0;
    for (int l = rank * (k / 2); column < n && l < (rank == 0 ? k / 2 : k); ++l) {
      sum += __bfloat162float(a[row * k + l]) * __bfloat162float(b[column * k + l]);
    }
    part[threadIdx.x] = sum;
    cluster.sync();
    if (rank == 0 && column < n) {
      sum += cluster.map_shared_rank(part, 1)[threadIdx.x];
      c[row * n + column] = __float2bfloat16(sum);
    }
    cluster.sync();
  }
}

static void run(const Gemm& g) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2 * g.m);
  config.blockDim = dim3(256);
  config.stream = g.stream;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  must(cudaLaunchKernelEx(&config, halves, g.a, g.b, g.c, g.n, g.k));
}
