// The Blackwell pack, which no machine here can run: it compiles without a warning, alone and
// together, its descriptors are the documented ones bit for bit, and its functions become the
// instructions that their names promise.
#include "tests/kernels/pack_fixture.h"

namespace ptxbatch {
namespace {

class BlackwellPack : public GpuPackTest {
 protected:
  BlackwellPack() : GpuPackTest("blackwell", "100a") {}
};

TEST_F(BlackwellPack, EachTemplateCompilesAloneWithoutAWarning) {
  expect_each_compiles_alone();
}

TEST_F(BlackwellPack, TheTemplatesAndTheExampleAreAllowedAndTheExampleCompiles) {
  expect_allowed_and_example_compiles();
}

TEST_F(BlackwellPack, DescriptorsAreAsDocumentedAndEachFunctionBecomesItsInstruction) {
  PromisedOpcodes promised = {
      {"tmem_allocate", {"UTCATOMSWS.FIND_AND_SET"}},
      {"tmem_allocate_pair", {"UTCATOMSWS.2CTA.FIND_AND_SET"}},
      {"tmem_free", {"UTCATOMSWS.AND"}},
      {"tmem_free_pair", {"UTCATOMSWS"}},
      {"mma_ss", {"UTCHMMA"}},
      {"mma_ss_pair", {"UTCHMMA.2CTA"}},
      {"mma_ts", {"UTCHMMA"}},
      {"mma_ts_pair", {"UTCHMMA.2CTA"}},
      {"mma_commit", {"UTCBAR"}},
      {"mma_commit_pair", {"UTCBAR.2CTA"}},
      {"mma_commit_multicast", {"UTCBAR.2CTA.MULTICAST"}},
      {"tmem_copy_128x256b", {"UTCCP"}},
      {"tma_load_2d_pair", {"UTMALDG.2D.2CTA"}},
      {"tma_load_3d_pair", {"UTMALDG.3D.2CTA"}},
      {"tma_load_2d_pair_multicast", {"UTMALDG.2D.MULTICAST.2CTA"}},
      {"request_work", {"UGETNEXTWORKID.SELFCAST"}},
      {"request_work_for_cluster", {"UGETNEXTWORKID.BROADCAST"}},
      {"fma_floats", {"FFMA2"}},
      {"multiply_floats", {"FMUL2"}},
      {"add_floats", {"FADD2"}},
      {"pack_floats", {"FADD2"}},
      {"max_of_three", {"FMNMX3"}},
      {"tmem_1", {"LDTM", "STTM"}},
  };
  for (const int n : {2, 4, 8, 16, 32, 64, 128}) {
    const std::string size = std::to_string(n);
    promised["tmem_" + size] = {"LDTM.x" + size, "STTM.x" + size};
  }
  expect_opcodes("blackwell_templates.cu", promised);
}

}  // namespace
}  // namespace ptxbatch
