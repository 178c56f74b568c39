// A compiler with a cache folder of its own, removed after the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "common/file_system.h"
#include "common/hash.h"
#include "ranks/compile/compiler.h"

namespace ptxbatch {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(testing::TempDir() + "ptxbatch_compile_XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline TargetSpec target_named(const std::string& name) {
  TargetSpec target;
  target.name = name;
  return target;
}

/// Compiles, expecting that the compiler could be run.
inline Compilation compile(Compiler& compiler, const std::string& source, double timeout_s = 120) {
  auto result = compiler.compile(source, sha256_hex(source), timeout_s);
  EXPECT_TRUE(result) << describe(result.error());
  return result.value_or(Compilation{});
}

/// A file of tests/compile/sources.
inline std::string test_source(const std::string& name) {
  auto text = read_text(std::string(PTXBATCH_TEST_SOURCES) + "/" + name);
  EXPECT_TRUE(text) << describe(text.error());
  return text.value_or("");
}

}  // namespace ptxbatch
