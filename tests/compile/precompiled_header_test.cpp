// The precompiled header may save time and must not change what a candidate becomes.
#include "ranks/compile/precompiled_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/compile/compile_fixture.h"

namespace ptxbatch {
namespace {

class PrecompiledHeader : public testing::Test {
 protected:
  void SetUp() override {
    auto made = make_compiler_command(target_named("host"));
    ASSERT_TRUE(made) << describe(made.error());
    command = std::move(*made);
    auto opened = CompileCache::open(folder.path());
    ASSERT_TRUE(opened) << describe(opened.error());
    cache.emplace(std::move(*opened));
  }

  void precompile() {
    precompile_headers(command, *cache);
    headers = precompiled_headers(command, *cache);
    ASSERT_FALSE(headers.empty());
  }

  // The compiler's output and the shared object of `source`, with `extra` flags in front.
  [[nodiscard]] std::pair<std::string, std::string> build(
      const std::string& source, const std::vector<std::string>& extra) const {
    const std::string object = folder.path() + "/kernel.so";
    std::filesystem::remove(object);
    EXPECT_TRUE(write_text(folder.path() + "/kernel.cpp", source));
    ProcessSpec spec;
    spec.argv = {command.program};
    spec.argv.insert(spec.argv.end(), extra.begin(), extra.end());
    spec.argv.insert(spec.argv.end(), command.compile_flags.begin(), command.compile_flags.end());
    spec.argv.insert(spec.argv.end(), {"kernel.cpp", "-o", object});
    spec.argv.insert(spec.argv.end(), command.link_flags.begin(), command.link_flags.end());
    spec.environment = compiler_environment(folder.path());
    spec.working_directory = folder.path();
    auto run = run_process(spec, 120);
    EXPECT_TRUE(run);
    return {run ? without_folders(run->output, command, folder.path()) : "",
            read_text(object).value_or("")};
  }

  TemporaryFolder folder;
  std::optional<CompileCache> cache;
  CompilerCommand command;
  std::string headers;
};

TEST_F(PrecompiledHeader, ItIsUsedWhenTheHeaderComesFirst) {
  precompile();
  const auto [output, object] = build(test_source("host_gemm.cpp"), {"-H", "-isystem", headers});
  EXPECT_THAT(output, testing::HasSubstr("! headers-")) << "-H marks a precompiled header with !";
  EXPECT_FALSE(object.empty());
}

TEST_F(PrecompiledHeader, BinariesAreTheSameWithAndWithoutIt) {
  precompile();
  const std::string good = test_source("host_gemm.cpp");
  for (const char* before : {"", "#pragma GCC optimize(\"O1\")\n", "#define NDEBUG\n"}) {
    const auto with = build(before + good, {"-isystem", headers});
    const auto without = build(before + good, {});
    EXPECT_FALSE(with.second.empty()) << before << with.first;
    EXPECT_TRUE(with.second == without.second) << before;
  }
}

TEST_F(PrecompiledHeader, WhatACandidateForgotToIncludeStaysMissing) {
  precompile();
  const auto [output, object] =
      build("#include <cstdint>\nstd::string s;\n", {"-isystem", headers});
  EXPECT_TRUE(object.empty());
  EXPECT_THAT(output, testing::HasSubstr("error"));
}

TEST_F(PrecompiledHeader, WhereItCannotBeMadeThereIsNone) {
  command.compile_flags.emplace_back("-no-such-flag");
  precompile_headers(command, *cache);
  EXPECT_EQ(precompiled_headers(command, *cache), "");
}

}  // namespace
}  // namespace ptxbatch
