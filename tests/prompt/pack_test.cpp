// Packs as they are shipped, and packs with one thing wrong.
#include "ranks/prompt/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/hash.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

class PackFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ptxbatch_pack_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    for (const char* file : {"instructions.md", "a.md", "b.h", "example.cpp", "tip.md"}) {
      write(file, std::string("text of ") + file + "\n");
    }
    write("pack.toml", kPack);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder + "/" + file) << text;
  }

  // Loads the pack with `from` replaced by `to`, which must fail.
  [[nodiscard]] Error error_with(const std::string& from, const std::string& to) const {
    std::string text = kPack;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    write("pack.toml", text.replace(at, from.size(), to));
    auto pack = load_pack(folder);
    EXPECT_FALSE(pack.has_value());
    return pack ? Error{} : pack.error();
  }

  static constexpr const char* kPack = R"(name = "small"
target = "host"
version = 3
instructions = "instructions.md"
example = "example.cpp"

[[components]]
level = "parameters"
title = "The machine"
files = ["a.md", "b.h"]

[[guidance]]
name = "tip"
op_types = ["gemm", "mha_fwd"]
file = "tip.md"
)";
  std::string folder;
};

TEST_F(PackFolder, EverythingIsRead) {
  const auto pack = load_pack(folder);
  ASSERT_TRUE(pack) << describe(pack.error());
  EXPECT_EQ(pack->name, "small");
  EXPECT_EQ(pack->target, "host");
  EXPECT_EQ(pack->version, 3);
  EXPECT_EQ(pack->instructions.text, "text of instructions.md\n");
  EXPECT_EQ(pack->example.file, "example.cpp");
  ASSERT_EQ(pack->components.size(), 1U);
  EXPECT_EQ(pack->components[0].level, PackLevel::kParameters);
  ASSERT_EQ(pack->components[0].documents.size(), 2U);
  EXPECT_EQ(pack->components[0].documents[1].text, "text of b.h\n");
  ASSERT_NE(pack->find_guidance("mha_fwd", "tip"), nullptr);
  EXPECT_EQ(pack->find_guidance("mha_fwd", "tip")->document.text, "text of tip.md\n");
  EXPECT_EQ(pack->find_guidance("mha_bwd", "tip"), nullptr);
  EXPECT_EQ(pack->find_guidance("gemm", "top"), nullptr);
}

TEST_F(PackFolder, AnUnknownKeyIsAnErrorWithItsLine) {
  const Error error = error_with("title =", "titel = \"x\"\ntitle =");
  EXPECT_EQ(error.file, folder + "/pack.toml");
  EXPECT_EQ(error.line, 9);
  EXPECT_THAT(error.key, HasSubstr("titel"));
}

TEST_F(PackFolder, AMissingFileIsAnErrorAtTheKeyThatNamesIt) {
  const Error error = error_with("\"a.md\"", "\"gone.md\"");
  EXPECT_EQ(error.file, folder + "/pack.toml");
  EXPECT_EQ(error.line, 10);
  EXPECT_THAT(error.key, HasSubstr("files"));
  EXPECT_THAT(error.what, HasSubstr("gone.md"));
}

TEST_F(PackFolder, AnEmptyFileIsAnError) {
  write("tip.md", "");
  const auto pack = load_pack(folder);
  ASSERT_FALSE(pack);
  EXPECT_EQ(pack.error().line, 15);
  EXPECT_THAT(pack.error().what, HasSubstr("tip.md"));
}

TEST_F(PackFolder, MissingKeysAreErrorsThatNameThem) {
  EXPECT_EQ(error_with("name = \"small\"\n", "").key, "name");
  EXPECT_EQ(error_with("version = 3\n", "").key, "version");
  EXPECT_EQ(error_with("example = \"example.cpp\"\n", "").key, "example");
  EXPECT_THAT(error_with("files = [\"a.md\", \"b.h\"]", "").key, HasSubstr("files"));
  EXPECT_THAT(error_with("op_types = [\"gemm\", \"mha_fwd\"]", "").key, HasSubstr("op_types"));
}

TEST_F(PackFolder, ALevelThatThePaperDoesNotHaveIsAnError) {
  const Error error = error_with("\"parameters\"", "\"params\"");
  EXPECT_EQ(error.line, 8);
  EXPECT_THAT(error.hint, HasSubstr("parameters"));
}

TEST_F(PackFolder, BrokenTomlIsAnErrorWithItsLine) {
  const Error error = error_with("target = \"host\"", "target = host");
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.file, folder + "/pack.toml");
}

TEST_F(PackFolder, AFolderWithoutAPackIsAnErrorThatNamesTheFile) {
  std::filesystem::remove(folder + "/pack.toml");
  const auto pack = load_pack(folder);
  ASSERT_FALSE(pack);
  EXPECT_THAT(describe(pack.error()), HasSubstr("pack.toml"));
}

TEST(ShippedPacks, EachLoadsAndIsForTheTargetOfItsFolder) {
  int packs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PTXBATCH_PACKS_FOLDER)) {
    if (!entry.is_directory()) continue;
    const auto pack = load_pack(entry.path().string());
    ASSERT_TRUE(pack) << describe(pack.error());
    EXPECT_EQ(pack->target, entry.path().filename());
    ++packs;
  }
  EXPECT_GE(packs, 1);
}

TEST(ShippedPacks, TheHostPackHasAllLevelsInOrderAndGuidanceForBothOperators) {
  const auto pack = load_pack(PTXBATCH_PACKS_FOLDER "/host");
  ASSERT_TRUE(pack) << describe(pack.error());
  std::vector<PackLevel> levels;
  for (const PackComponent& component : pack->components) levels.push_back(component.level);
  EXPECT_THAT(levels, testing::ElementsAre(PackLevel::kParameters, PackLevel::kTemplates,
                                           PackLevel::kContract));
  EXPECT_NE(pack->find_guidance("gemm", "register_blocking"), nullptr);
  EXPECT_NE(pack->find_guidance("gemm", "cache_blocking"), nullptr);
  EXPECT_NE(pack->find_guidance("mha_fwd", "online_softmax"), nullptr);
  EXPECT_NE(pack->find_guidance("mha_fwd", "vector_exp"), nullptr);
}

// Table 6 is made of these counts; knowledge_packs/count_tokens.py makes them anew.
TEST(ShippedPacks, TokensWereCountedOfTheTextsAsTheyAre) {
  for (const char* name : {"host", "hopper", "blackwell"}) {
    const auto pack = load_pack(std::string(PTXBATCH_PACKS_FOLDER "/") + name);
    ASSERT_TRUE(pack) << describe(pack.error());
    for (const PackComponent& component : pack->components) {
      std::string texts;
      for (const PackDocument& document : component.documents) texts += document.text;
      EXPECT_EQ(sha256_hex(texts), component.counted_sha256)
          << name << ", " << component.title << ": run knowledge_packs/count_tokens.py";
      EXPECT_GT(component.tokens, 0);
    }
  }
}

}  // namespace
}  // namespace ptxbatch
