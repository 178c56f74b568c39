// A GPU target's pack under test: its templates alone and together, compiled, and the opcodes in
// what comes of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ranks/prompt/pack.h"
#include "tests/compile/compile_fixture.h"

namespace ptxbatch {

/// A kernel's name and the opcodes, or beginnings of opcodes, that its machine code must hold.
using PromisedOpcodes = std::map<std::string, std::vector<std::string>>;

class GpuPackTest : public testing::Test {
 protected:
  /// `architecture`: "90a".
  GpuPackTest(std::string target, std::string architecture);
  void SetUp() override;

  /// Documents that are headers.
  [[nodiscard]] std::vector<PackDocument> templates() const;
  /// All templates as a model would copy them into one file.
  [[nodiscard]] std::string together() const;
  [[nodiscard]] Compilation compiled(const std::string& source) const {
    return compile(*compiler_, source, 240);
  }

  void expect_each_compiles_alone() const;
  void expect_allowed_and_example_compiles() const;
  /// Compiles a file of this folder behind the templates: no warning, and each kernel as promised.
  /// Gives the opcodes by kernel.
  std::map<std::string, std::set<std::string>> expect_opcodes(
      const std::string& file, const PromisedOpcodes& promised) const;

  Pack pack_;
  TemporaryFolder cache_;
  std::string nvcc_;
  std::unique_ptr<Compiler> compiler_;

 private:
  std::string target_;
  std::string architecture_;
};

/// A file of this folder.
std::string kernel_file(const std::string& name);

}  // namespace ptxbatch
