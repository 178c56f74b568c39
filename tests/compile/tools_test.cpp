// Environment variables decide where tools are; what is missing is named.
#include "ranks/compile/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>

#include "tests/compile/compile_fixture.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

/// Sets a variable and puts it back.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

void write_program(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  ASSERT_TRUE(write_text(path, text));
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
}

TEST(Tools, CudaHomeComesFirst) {
  const TemporaryFolder folder;
  write_program(folder.path() + "/bin/nvcc", "#!/bin/sh\n");
  const Variable home("CUDA_HOME", folder.path());
  EXPECT_EQ(find_nvcc("").value(), folder.path() + "/bin/nvcc");
}

TEST(Tools, NvccIsFoundInPath) {
  const TemporaryFolder folder;
  write_program(folder.path() + "/bin/nvcc", "#!/bin/sh\n");
  const Variable home("CUDA_HOME", "");
  const Variable path("PATH", folder.path() + "/bin:/usr/bin:/bin");
  EXPECT_EQ(find_nvcc("").value(), folder.path() + "/bin/nvcc");
}

TEST(Tools, TvmFfiIsTakenFromItsVariableAndMustBeWhole) {
  const TemporaryFolder folder;
  const Variable variable("PTXBATCH_TVM_FFI", folder.path());
  const auto missing = find_tvm_ffi();
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr(folder.path() + "/include/tvm/ffi/tvm_ffi.h"));
  EXPECT_THAT(missing.error().hint, HasSubstr("PTXBATCH_TVM_FFI"));
  std::filesystem::create_directories(folder.path() + "/include/tvm/ffi");
  std::filesystem::create_directories(folder.path() + "/lib");
  ASSERT_TRUE(write_text(folder.path() + "/include/tvm/ffi/tvm_ffi.h", ""));
  ASSERT_TRUE(write_text(folder.path() + "/lib/libtvm_ffi.so", ""));
  EXPECT_EQ(find_tvm_ffi().value().library_folder, folder.path() + "/lib");
}

TEST(Tools, StubsOfTheDriverAreLookedForBesideNvcc) {
  const TemporaryFolder folder;
  write_program(folder.path() + "/bin/nvcc", "#!/bin/sh\n");
  EXPECT_TRUE(cuda_stub_folders(folder.path() + "/bin/nvcc").empty());
  std::filesystem::create_directories(folder.path() + "/lib/stubs");
  ASSERT_TRUE(write_text(folder.path() + "/lib/stubs/libcuda.so", ""));
  const std::string stubs = std::filesystem::canonical(folder.path() + "/lib/stubs").string();
  EXPECT_THAT(cuda_stub_folders(folder.path() + "/bin/nvcc"), testing::ElementsAre(stubs));
}

TEST(MakeCompiler, AMissingCompilerIsAnErrorWithAHint) {
  const TemporaryFolder cache;
  for (const char* target : {"host", "hopper", "blackwell"}) {
    TargetSpec spec = target_named(target);
    spec.compiler = "no-such-compiler";
    const auto compiler = make_compiler(spec, cache.path());
    ASSERT_FALSE(compiler);
    EXPECT_EQ(compiler.error().kind, ErrorKind::kSystem);
    EXPECT_THAT(compiler.error().what, HasSubstr("no-such-compiler"));
    EXPECT_FALSE(compiler.error().hint.empty());
  }
}

TEST(MakeCompiler, WithoutGccInPathTheHintNamesThePackage) {
  const TemporaryFolder folder;
  const Variable path("PATH", folder.path());
  const auto compiler = make_compiler(target_named("host"), folder.path());
  ASSERT_FALSE(compiler);
  EXPECT_THAT(compiler.error().hint, HasSubstr("apt-get install g++"));
}

TEST(MakeCompiler, AnNvccThatDoesNotKnowTheArchitectureIsRefused) {
  const TemporaryFolder folder;
  TargetSpec spec = target_named("blackwell");
  spec.compiler = folder.path() + "/nvcc";
  write_program(spec.compiler,
                "#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.99'\n");
  const auto compiler = make_compiler(spec, folder.path());
  ASSERT_FALSE(compiler);
  EXPECT_THAT(compiler.error().what, HasSubstr("does not know sm_100a"));
  spec.name = "hopper";
  const auto hopper = make_compiler(spec, folder.path());
  ASSERT_TRUE(hopper) << describe(hopper.error());
  EXPECT_EQ((*hopper)->version(), "nvcc 12.4.99");
}

TEST(MakeCompiler, AProgramThatIsNoCompilerIsRefused) {
  const TemporaryFolder folder;
  TargetSpec spec = target_named("host");
  spec.compiler = folder.path() + "/broken";
  write_program(spec.compiler, "#!/bin/sh\nexit 1\n");
  const auto compiler = make_compiler(spec, folder.path());
  ASSERT_FALSE(compiler);
  EXPECT_THAT(compiler.error().what, HasSubstr("--version gives no version"));
}

TEST(MakeCompiler, AnUnknownTargetIsAnInputError) {
  const TemporaryFolder folder;
  const auto compiler = make_compiler(target_named("volta"), folder.path());
  ASSERT_FALSE(compiler);
  EXPECT_EQ(compiler.error().kind, ErrorKind::kInput);
  EXPECT_THAT(compiler.error().hint, HasSubstr("hopper"));
}

TEST(MakeCompiler, ACacheFolderThatCannotBeMadeIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_text(folder.path() + "/file", ""));
  const auto compiler = make_compiler(target_named("host"), folder.path() + "/file/cache");
  ASSERT_FALSE(compiler);
  EXPECT_THAT(compiler.error().what, HasSubstr("/file/cache"));
}

}  // namespace
}  // namespace ptxbatch
