// What the Hopper pack shows to models must compile without a warning, alone and together, be
// allowed, and become the instruction that each function's name promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "common/clock.h"
#include "common/process.h"
#include "ranks/compile/bans.h"
#include "ranks/compile/disassembly.h"
#include "ranks/compile/tool_lines.h"
#include "ranks/compile/tools.h"
#include "ranks/prompt/pack.h"
#include "tests/compile/compile_fixture.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HopperPack : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_pack(PTXBATCH_PACKS_FOLDER "/hopper");
    ASSERT_TRUE(loaded) << describe(loaded.error());
    pack_ = std::move(*loaded);
    auto nvcc = find_nvcc("");
    if (!nvcc) GTEST_SKIP() << describe(nvcc.error());
    nvcc_ = *nvcc;
    auto made = make_compiler(target_named("hopper"), cache_.path());
    ASSERT_TRUE(made) << describe(made.error());
    compiler_ = std::move(*made);
  }

  [[nodiscard]] std::vector<PackDocument> templates() const {
    std::vector<PackDocument> headers;
    for (const PackComponent& component : pack_.components) {
      for (const PackDocument& document : component.documents) {
        if (document.file.ends_with(".cuh")) headers.push_back(document);
      }
    }
    return headers;
  }

  /// All templates as a model would copy them into one file.
  [[nodiscard]] std::string together() const {
    std::string text;
    for (const PackDocument& header : templates()) {
      std::istringstream lines(header.text);
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#pragma once") || line.starts_with("#include \"")) continue;
        text += line + '\n';
      }
    }
    return text;
  }

  [[nodiscard]] Compilation compiled(const std::string& source) const {
    return compile(*compiler_, source, 240);
  }

  Pack pack_;
  TemporaryFolder cache_;
  std::string nvcc_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(HopperPack, EachTemplateCompilesAloneWithoutAWarning) {
  const std::string folder = PTXBATCH_PACKS_FOLDER "/hopper/";
  int count = 0;
  for (const PackDocument& header : templates()) {
    const std::string source = cache_.path() + "/alone.cu";
    ASSERT_TRUE(write_text(source, "#include \"" + header.file + "\"\n"));
    ProcessSpec spec;
    spec.argv = {nvcc_,        "-std=c++17",
                 "-gencode",   "arch=compute_90a,code=sm_90a",
                 "-Werror",    "all-warnings",
                 "-Xcompiler", "-Wall,-Wextra",
                 "-I",         folder,
                 "-c",         source,
                 "-o",         cache_.path() + "/alone.o"};
    spec.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + cache_.path()};
    auto child = ChildProcess::start(spec);
    ASSERT_TRUE(child) << describe(child.error());
    const ProcessEnd end = child->wait(deadline_in(120));
    EXPECT_TRUE(end.ok()) << header.file << "\n" << child->output();
    ++count;
  }
  EXPECT_EQ(count, 8);
}

TEST_F(HopperPack, TheTemplatesAndTheExampleAreAllowed) {
  for (const std::string& source : {together(), pack_.example.text}) {
    const auto banned = find_banned_use(source, "hopper");
    EXPECT_FALSE(banned) << banned->name;
  }
}

TEST_F(HopperPack, TheExampleCompiles) {
  const Compilation result = compiled(pack_.example.text);
  EXPECT_EQ(result.outcome, Compilation::Outcome::kCompiled) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("warning")));
}

// Opcodes, without predicates and operands, of each function in the binary.
std::map<std::string, std::set<std::string>> opcodes_in(const std::string& binary) {
  std::map<std::string, std::set<std::string>> opcodes;
  const auto cuobjdump = find_cuobjdump();
  EXPECT_TRUE(cuobjdump) << describe(cuobjdump.error());
  if (!cuobjdump) return opcodes;
  std::string function;
  const auto status = visit_tool_lines({*cuobjdump, "-sass", binary}, 120, [&](std::string_view l) {
    std::istringstream words{std::string(l)};
    std::string first;
    std::string second;
    std::string third;
    words >> first >> second >> third;
    if (first == "Function") function = third;
    if (!first.starts_with("/*") || !first.ends_with("*/") || second.empty()) return;
    if (second.starts_with("/*")) return;
    opcodes[function].insert(second.starts_with('@') ? third : second);
  });
  EXPECT_TRUE(status) << describe(status.error());
  return opcodes;
}

// What a function's machine code must hold; a line that begins with the name of an opcode's family
// fits every member.
const std::map<std::string, std::vector<std::string>>& promised() {
  static const std::map<std::string, std::vector<std::string>> opcodes = {
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
  return opcodes;
}

TEST_F(HopperPack, EachFunctionBecomesTheInstructionThatItsNamePromises) {
  const auto kernels = read_text(PTXBATCH_EVERY_TEMPLATE);
  ASSERT_TRUE(kernels) << describe(kernels.error());
  const Compilation result = compiled(together() + *kernels);
  ASSERT_EQ(result.outcome, Compilation::Outcome::kCompiled) << result.output;
  EXPECT_THAT(result.output, AllOf(Not(HasSubstr("warning")), Not(HasSubstr("C75"))));

  auto wanted = promised();
  for (int n = 8; n <= 256; n += 8) {
    const std::string size = std::to_string(n);
    wanted["wgmma_" + size] = {"HGMMA.64x" + size + "x16.F32.BF16"};
  }
  auto found = opcodes_in(result.binary);
  for (const auto& [name, opcodes] : wanted) {
    for (const std::string& opcode : opcodes) {
      const auto& has = found[name];
      EXPECT_TRUE(std::any_of(has.begin(), has.end(),
                              [&](const std::string& each) { return each.starts_with(opcode); }))
          << name << " has no " << opcode << " but " << testing::PrintToString(has);
    }
  }
  // A relaxed arrival is what it is for: without a fence at the scope of the GPU.
  EXPECT_EQ(found["barrier_arrive_remote_relaxed"].count("MEMBAR.ALL.GPU"), 0U);
}

// The reference kernels are made of these templates: they compile without spills or serialisation.
TEST_F(HopperPack, TheReferenceKernelsCompileWithoutSpills) {
  for (const char* file : {"gemm.cu", "mha_forward.cu", "mha_backward.cu"}) {
    const auto kernel = read_text(PTXBATCH_REFERENCE_KERNELS + std::string("/") + file);
    ASSERT_TRUE(kernel) << describe(kernel.error());
    std::string source = together();
    std::istringstream lines(*kernel);
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
                                     Not(HasSubstr("C75")), Not(HasSubstr("warning"))));
    const StaticScan scan = scan_binary("hopper", result.binary, 120);
    EXPECT_TRUE(scan.succeeded) << scan.failure;
    EXPECT_THAT(scan.instructions, Not(IsEmpty()));
  }
}

}  // namespace
}  // namespace ptxbatch
