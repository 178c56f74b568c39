// What the Hopper pack shows to models must compile without a warning, alone and together, be
// allowed, and become the instruction that each function's name promises.
#include <sstream>

#include "ranks/compile/disassembly.h"
#include "tests/kernels/pack_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HopperPack : public GpuPackTest {
 protected:
  HopperPack() : GpuPackTest("hopper", "90a") {}
};

TEST_F(HopperPack, EachTemplateCompilesAloneWithoutAWarning) {
  expect_each_compiles_alone();
}

TEST_F(HopperPack, TheTemplatesAndTheExampleAreAllowedAndTheExampleCompiles) {
  expect_allowed_and_example_compiles();
}

PromisedOpcodes promised() {
  PromisedOpcodes opcodes = {
      {"elect_one", {"ELECT"}},
      {"warp_index", {"SHFL.IDX"}},
      {"warpgroup_index", {"SHFL.IDX"}},
      {"decrease_registers", {"USETMAXREG.DEALLOC"}},
      {"increase_registers", {"USETMAXREG.TRY_ALLOC"}},
      {"named_barrier_sync", {"BAR.SYNC"}},
      {"named_barrier_arrive", {"BAR.ARV"}},
      {"fence_async_shared", {"FENCE.VIEW.ASYNC.S"}},
      {"fence_async_global", {"FENCE.VIEW.ASYNC.G"}},
      {"barrier_init", {"SYNCS.EXCH"}},
      {"fence_barrier_init", {"MEMBAR", "FENCE.VIEW.ASYNC"}},
      {"barrier_invalidate", {"SYNCS.CCTL.IV"}},
      {"barrier_arrive", {"SYNCS.ARRIVE"}},
      {"barrier_arrive_expect", {"SYNCS.ARRIVE"}},
      {"barrier_expect", {"SYNCS.ARRIVE"}},
      {"barrier_arrive_remote", {"SYNCS.ARRIVE", "MEMBAR"}},
      {"barrier_arrive_remote_relaxed", {"SYNCS.ARRIVE"}},
      {"barrier_arrive_expect_remote", {"SYNCS.ARRIVE", "MEMBAR"}},
      {"barrier_test", {"SYNCS.PHASECHK"}},
      {"barrier_try_wait", {"SYNCS.PHASECHK.TRANS64.TRYWAIT"}},
      {"barrier_wait", {"SYNCS.PHASECHK.TRANS64.TRYWAIT"}},
      {"barrier_wait_cluster", {"SYNCS.PHASECHK.TRANS64.TRYWAIT"}},
      {"cluster_sync", {"UCGABAR_ARV", "UCGABAR_WAIT"}},
      {"load_remote", {"LD"}},
      {"store_remote", {"ST"}},
      {"prefetch_tensor_map", {"UTMACCTL.PF"}},
      {"tma_load_2d", {"UTMALDG.2D"}},
      {"tma_load_2d_hint", {"UTMALDG.2D"}},
      {"tma_load_3d", {"UTMALDG.3D"}},
      {"tma_load_4d", {"UTMALDG.4D"}},
      {"tma_load_5d", {"UTMALDG.5D"}},
      {"tma_load_2d_multicast", {"UTMALDG.2D.MULTICAST"}},
      {"tma_load_3d_multicast", {"UTMALDG.3D.MULTICAST"}},
      {"tma_prefetch_2d", {"UTMAPF.L2.2D"}},
      {"tma_store_2d", {"UTMASTG.2D"}},
      {"tma_store_3d", {"UTMASTG.3D"}},
      {"tma_store_4d", {"UTMASTG.4D"}},
      {"tma_store_5d", {"UTMASTG.5D"}},
      {"tma_reduce_add_2d", {"UTMAREDG.2D.ADD"}},
      {"tma_reduce_add_3d", {"UTMAREDG.3D.ADD"}},
      {"bulk_load", {"UBLKCP"}},
      {"bulk_store", {"UBLKCP"}},
      {"bulk_reduce_add_f32", {"UBLKRED"}},
      {"store_commit", {"UTMACMDFLUSH"}},
      {"store_wait_read", {"DEPBAR"}},
      {"store_wait", {"DEPBAR"}},
      {"pack_bf16", {"F2FP.BF16"}},
      {"load_matrix_x4", {"LDSM.16.M88.4"}},
      {"load_matrix_x4_transposed", {"LDSM.16.MT88.4"}},
      {"store_matrix_x4", {"STSM.16.M88.4"}},
      {"store_matrix_x4_transposed", {"STSM.16.MT88.4"}},
      {"store_accumulator_box", {"STSM.16.M88.4", "F2FP.BF16"}},
      {"accumulator_to_a", {"F2FP.BF16"}},
      {"fast_exp2", {"MUFU.EX2"}},
      {"fast_log2", {"MUFU.LG2"}},
      {"fast_reciprocal", {"MUFU.RCP"}},
      {"quad_sum", {"SHFL"}},
      {"quad_max", {"SHFL"}},
      {"wgmma_fence", {"WARPGROUP.ARRIVE", "WARPGROUP.DEPBAR"}},
  };
  for (int n = 8; n <= 256; n += 8) {
    const std::string size = std::to_string(n);
    opcodes["wgmma_" + size] = {"HGMMA.64x" + size + "x16.F32.BF16"};
  }
  return opcodes;
}

TEST_F(HopperPack, EachFunctionBecomesTheInstructionThatItsNamePromises) {
  auto found = expect_opcodes("hopper_templates.cu", promised());
  // A relaxed arrival is what it is for: without a fence at the scope of the GPU.
  EXPECT_EQ(found["barrier_arrive_remote_relaxed"].count("MEMBAR.ALL.GPU"), 0U);
}

// The reference kernels are made of these templates: they compile without spills or serialisation.
TEST_F(HopperPack, TheReferenceKernelsCompileWithoutSpills) {
  for (const char* file : {"gemm.cu", "mha_forward.cu", "mha_backward.cu"}) {
    std::string source = together();
    std::istringstream lines(kernel_file(std::string("hopper/") + file));
    std::string rest;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#include <")) {
        source.insert(0, line + '\n');
      } else if (!line.starts_with("#include \"")) {
        rest += line + '\n';
      }
    }
    const Compilation result = compiled(source + rest);
    ASSERT_EQ(result.outcome, Compilation::Outcome::kCompiled) << result.output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("0 bytes spill stores, 0 bytes spill loads"),
                                     Not(testing::ContainsRegex("[1-9][0-9]* bytes spill")),
                                     Not(HasSubstr("C75")), Not(HasSubstr("warning"))));
    const StaticScan scan = scan_binary("hopper", result.binary, 120);
    EXPECT_TRUE(scan.succeeded) << scan.failure;
    EXPECT_THAT(scan.instructions, Not(IsEmpty()));
  }
}

}  // namespace
}  // namespace ptxbatch
