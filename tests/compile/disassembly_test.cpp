// The host's half of the static evidence; the GPU's is in gpu_compiler_test.
#include "ranks/compile/disassembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compile/compile_fixture.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

TEST(TargetFamily, HostIsPackedFma) {
  for (const char* opcode : {"vfmadd231ps", "vfmadd132pd", "vfnmadd213ps", "vfmsub231ps",
                             "vfnmsub132pd", "vfmaddsub213ps"}) {
    EXPECT_TRUE(in_target_family("host", opcode)) << opcode;
  }
  for (const char* opcode : {"vfmadd231ss", "vfmadd132sd", "vmulps", "vaddps", "fma", ""}) {
    EXPECT_FALSE(in_target_family("host", opcode)) << opcode;
  }
}

TEST(TargetFamily, HopperIsGmmaAndTmaTransfersWithoutPrefetchAndCacheControl) {
  for (const char* opcode : {"HGMMA.64x8x16.F32.BF16", "QGMMA", "IGMMA.64x8x32.S8.S8", "UTMALDG.2D",
                             "UTMASTG.2D", "UTMAREDG.2D.ADD"}) {
    EXPECT_TRUE(in_target_family("hopper", opcode)) << opcode;
  }
  for (const char* opcode : {"UTMAPF.L2.2D", "UTMACCTL.PF", "UTMACMDFLUSH", "UTMALDGX",
                             "HMMA.16816", "WARPGROUP.ARRIVE", "FFMA", "LDTM", ""}) {
    EXPECT_FALSE(in_target_family("hopper", opcode)) << opcode;
  }
}

TEST(TargetFamily, BlackwellIsTensorMemoryAndItsMatrixInstructions) {
  for (const char* opcode :
       {"UTCHMMA", "UTCQMMA.2CTA", "UTCATOMSWS.AND", "UTCBAR", "LDTM.x16", "STTM.x8"}) {
    EXPECT_TRUE(in_target_family("blackwell", opcode)) << opcode;
  }
  for (const char* opcode : {"UTMALDG.2D", "HGMMA.64x8x16.F32", "LDT", "FFMA", ""}) {
    EXPECT_FALSE(in_target_family("blackwell", opcode)) << opcode;
  }
}

TEST(TargetFamily, AnUnknownTargetHasNone) {
  EXPECT_FALSE(in_target_family("volta", "HGMMA"));
}

TEST(HostScan, PackedFmaIsFoundWithItsFunctionAndAddress) {
  const TemporaryFolder cache;
  auto compiler = make_compiler(target_named("host"), cache.path());
  ASSERT_TRUE(compiler) << describe(compiler.error());
  const Compilation compiled = compile(**compiler, test_source("host_gemm.cpp"));
  ASSERT_EQ(compiled.outcome, Compilation::Outcome::kCompiled) << compiled.output;

  const StaticScan scan = scan_binary("host", compiled.binary, 60);
  ASSERT_TRUE(scan.succeeded) << scan.failure;
  ASSERT_FALSE(scan.instructions.empty());
  const auto bytes = read_text(compiled.binary);
  ASSERT_TRUE(bytes);
  for (const InstructionRecord& instruction : scan.instructions) {
    EXPECT_THAT(instruction.function, HasSubstr("packed_dot"));
    EXPECT_THAT(instruction.text, testing::MatchesRegex("vf[n]?m(add|sub).*p[sd] .*ymm.*"));
    // In a shared object made by ld the code's addresses are its offsets in the file, and each of
    // these instructions begins with a VEX prefix.
    ASSERT_LT(instruction.address, bytes->size());
    EXPECT_EQ(static_cast<unsigned char>((*bytes)[instruction.address]), 0xC4U);
    EXPECT_FALSE(instruction.executed);
  }
}

TEST(HostScan, ABinaryWithoutPackedFmaIsAnEmptySuccess) {
  const TemporaryFolder cache;
  auto compiler = make_compiler(target_named("host"), cache.path());
  ASSERT_TRUE(compiler) << describe(compiler.error());
  const Compilation compiled =
      compile(**compiler, "extern \"C\" float f(float a, float b) { return a * b + 1; }\n");
  const StaticScan scan = scan_binary("host", compiled.binary, 60);
  EXPECT_TRUE(scan.succeeded) << scan.failure;
  EXPECT_TRUE(scan.instructions.empty());
}

TEST(HostScan, WhatIsNoBinaryIsAFailureNeverAnEmptySuccess) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/text";
  ASSERT_TRUE(write_text(path, "no binary"));
  for (const std::string& binary : {path, folder.path() + "/gone"}) {
    const StaticScan scan = scan_binary("host", binary, 60);
    EXPECT_FALSE(scan.succeeded);
    EXPECT_THAT(scan.failure, HasSubstr("objdump"));
  }
}

}  // namespace
}  // namespace ptxbatch
