// The Blackwell pack, which no machine here can run: it compiles without a warning, alone and
// together, its descriptors are the documented ones bit for bit, and its functions become the
// instructions that their names promise.
#include "tests/kernels/pack_fixture.h"

namespace ptxbatch {
namespace {

class BlackwellPack : public GpuPackTest {
 protected:
  BlackwellPack() : GpuPackTest("blackwell", "100a") {}

  /// The contract's blocks of code, in their order.
  [[nodiscard]] std::vector<std::string> fragments() const {
    const std::string open = "```cuda\n";
    std::vector<std::string> found;
    for (const PackComponent& component : pack_.components) {
      for (const PackDocument& document : component.documents) {
        if (document.file != "contract.md") continue;
        const std::string& text = document.text;
        for (auto at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
          at += open.size();
          found.push_back(text.substr(at, text.find("```", at) - at));
          at += found.back().size();
        }
      }
    }
    return found;
  }
};

TEST_F(BlackwellPack, EachTemplateCompilesAloneWithoutAWarning) {
  expect_each_compiles_alone();
}

TEST_F(BlackwellPack, TheTemplatesAndTheExampleAreAllowedAndTheExampleCompiles) {
  expect_allowed_and_example_compiles();
}

TEST_F(BlackwellPack, TheContractsFragmentsCompileWithoutAWarning) {
  const std::string place = "// fragment\n";
  std::string source = kernel_file("blackwell_fragments.cu");
  for (const std::string& fragment : fragments()) {
    const auto at = source.find(place);
    ASSERT_NE(at, std::string::npos) << "no kernel for\n" << fragment;
    source.replace(at, place.size(), fragment);
  }
  EXPECT_EQ(source.find(place), std::string::npos) << "a kernel without its fragment";
  const Compilation result = compiled(together() + source);
  EXPECT_EQ(result.outcome, Compilation::Outcome::kCompiled) << result.output;
  EXPECT_THAT(result.output, testing::Not(testing::HasSubstr("warning")));
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
