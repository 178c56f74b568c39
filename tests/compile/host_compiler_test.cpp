// g++ on real candidates: results, cache, time-outs, concurrency, full disks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "common/process.h"
#include "tests/compile/compile_fixture.h"

namespace ptxbatch {
namespace {

using Outcome = Compilation::Outcome;
using testing::HasSubstr;
using testing::Not;

class HostCompiler : public testing::Test {
 protected:
  void SetUp() override { compiler = make(); }

  [[nodiscard]] std::unique_ptr<Compiler> make(const std::string& program = "") const {
    TargetSpec target = target_named("host");
    target.compiler = program;
    auto made = make_compiler(target, cache.path());
    EXPECT_TRUE(made) << describe(made.error());
    return made ? std::move(*made) : nullptr;
  }

  // A compiler of our own making: a shell script that says its version and then does `body`.
  [[nodiscard]] std::unique_ptr<Compiler> make_script(const std::string& body) const {
    const std::string path = folder.path() + "/compiler";
    const std::string text = "#!/bin/sh\n[ \"$1\" = --version ] && { echo script 1; exit; }\n";
    EXPECT_TRUE(write_text(path, text + body + "\n"));
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    return make(path);
  }

  // What is in the cache folder beside finished binaries, their logs and precompiled headers.
  [[nodiscard]] std::vector<std::string> left_over() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(cache.path())) {
      const std::string name = entry.path().filename();
      const bool kept = name.ends_with(".so") || name.ends_with(".log");
      if (!kept && !name.starts_with("headers-")) names.push_back(name);
    }
    return names;
  }

  TemporaryFolder cache;
  TemporaryFolder folder;
  std::unique_ptr<Compiler> compiler;
};

constexpr const char* kTiny =
    "extern \"C\" __attribute__((visibility(\"default\"))) int f() { return 7; }\n";

TEST_F(HostCompiler, ACandidateBecomesASharedObject) {
  const Compilation result = compile(*compiler, test_source("host_gemm.cpp"));
  ASSERT_EQ(result.outcome, Outcome::kCompiled) << result.output;
  EXPECT_FALSE(result.cached);
  const auto bytes = read_text(result.binary);
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(
      bytes->starts_with("\x7F"
                         "ELF"));
  EXPECT_THAT(*bytes, HasSubstr("__tvm_ffi_run"));
  EXPECT_THAT(left_over(), testing::IsEmpty());
}

TEST_F(HostCompiler, TheVersionIsTheCompilersOwn) {
  EXPECT_THAT(compiler->version(), HasSubstr("g++"));
}

TEST_F(HostCompiler, ACompileErrorNamesTheCandidateAndNoFolderOfOurs) {
  const Compilation result = compile(*compiler, "#include <tvm/ffi/tvm_ffi.h>\nflaot x;\n");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_TRUE(result.binary.empty());
  EXPECT_TRUE(result.output.starts_with("kernel.cpp:2:1: error:")) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr(cache.path())));
}

TEST_F(HostCompiler, ErrorsWithinHeadersAreNamedAsIncluded) {
  const std::string source =
      "#include <tvm/ffi/tvm_ffi.h>\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, 3);\n";
  const Compilation result = compile(*compiler, source);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.output, AllOf(HasSubstr("tvm/ffi/"), Not(HasSubstr("/tvm/ffi/"))));
}

TEST_F(HostCompiler, PrecompiledHeadersAreMadeOnceTheyPayAndChangeNoMessage) {
  const auto made = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(cache.path())) {
      if (entry.path().filename().string().starts_with("headers-")) return true;
    }
    return false;
  };
  const std::string wrong =
      "#include <tvm/ffi/tvm_ffi.h>\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, 3);\n";
  const Compilation before = compile(*compiler, wrong);
  ASSERT_FALSE(made()) << "one candidate does not pay";
  for (int i = 0; i < 8 && !made(); ++i) {
    const Compilation result =
        compile(*compiler, "#include <tvm/ffi/tvm_ffi.h>\n// " + std::to_string(i) + "\n");
    EXPECT_EQ(result.outcome, Outcome::kCompiled) << result.output;
  }
  ASSERT_TRUE(made());
  const Compilation after = compile(*compiler, wrong);
  EXPECT_EQ(before.outcome, Outcome::kFailed);
  EXPECT_EQ(after.output, before.output);
  EXPECT_EQ(compile(*compiler, test_source("host_gemm.cpp")).outcome, Outcome::kCompiled);
  EXPECT_THAT(left_over(), testing::IsEmpty());
}

TEST_F(HostCompiler, AFunctionThatIsNowhereDefinedIsACompileErrorWithItsName) {
  const Compilation result = compile(*compiler, "void gone();\nvoid f() { gone(); }\n");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.output, HasSubstr("gone"));
}

TEST_F(HostCompiler, LongOutputIsCutInTheMiddle) {
  std::string source;
  for (int i = 0; i < 3'000; ++i) source += "#warning number " + std::to_string(i) + "\n";
  const Compilation result = compile(*compiler, source);
  EXPECT_EQ(result.outcome, Outcome::kCompiled);
  EXPECT_LE(result.output.size(), 64U << 10U);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("number 0"), HasSubstr("number 2999"), HasSubstr("characters cut")));
}

TEST_F(HostCompiler, TheSameSourceIsCompiledOnceAndItsOutputKept) {
  const std::string source = std::string("#warning look\n") + kTiny;
  const Compilation first = compile(*compiler, source);
  const Compilation second = compile(*compiler, source);
  EXPECT_FALSE(first.cached);
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(second.outcome, Outcome::kCompiled);
  EXPECT_EQ(second.binary, first.binary);
  EXPECT_EQ(second.output, first.output);
  EXPECT_THAT(second.output, HasSubstr("look"));
}

TEST_F(HostCompiler, AnotherProcessFindsWhatThisOneCompiled) {
  const Compilation first = compile(*compiler, kTiny);
  const Compilation second = compile(*make(), kTiny);
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(second.binary, first.binary);
}

TEST_F(HostCompiler, AnotherCompilersBinaryIsNotTaken) {
  compile(*compiler, kTiny);
  const auto other = make_script("exit 1");
  EXPECT_EQ(compile(*other, kTiny).outcome, Outcome::kFailed);
}

TEST_F(HostCompiler, ABinaryWithoutItsLogIsMadeAgain) {
  const Compilation first = compile(*compiler, kTiny);
  std::string log = first.binary;
  log.replace(log.size() - 3, 3, ".log");
  ASSERT_TRUE(std::filesystem::remove(log));
  EXPECT_FALSE(compile(*compiler, kTiny).cached);
}

TEST_F(HostCompiler, CompilingBeyondTheBudgetIsStoppedWithAllItsProcesses) {
  const Compilation result = compile(*compiler, test_source("template_bomb.cpp"), 1.0);
  EXPECT_EQ(result.outcome, Outcome::kTimedOut);
  EXPECT_TRUE(result.binary.empty());
  EXPECT_THAT(left_over(), testing::IsEmpty()) << "a compiler process may still be writing";
}

TEST_F(HostCompiler, ACompilerThatIsEndedByASignalIsAFailureThatSaysSo) {
  const Compilation result = compile(*make_script("kill -SEGV $$"), kTiny);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.output, HasSubstr("signal 11"));
}

// The script's `body` is done the first time; afterwards it is g++.
std::string once(const std::string& marker, const std::string& body) {
  return "[ -e " + marker + " ] || { : > " + marker + "; " + body + "; }\nexec g++ \"$@\"";
}

TEST_F(HostCompiler, AStageThatWasKilledIsRunAgainHoweverTheDriverReportsIt) {
  for (const char* body : {
           "kill -KILL $$",  // the driver
           "echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1",
           "echo Killed; exit 137",  // nvcc 13
           "echo \"nvcc error : 'cicc' died due to signal 9 (Kill signal)\"; exit 9",
       }) {
    const std::string marker = folder.path() + "/killed";
    const std::string source = std::string(kTiny) + "// " + body + "\n";
    const Compilation result = compile(*make_script(once(marker, body)), source);
    EXPECT_EQ(result.outcome, Outcome::kCompiled) << body << "\n" << result.output;
    EXPECT_TRUE(std::filesystem::remove(marker)) << body;
  }
}

TEST_F(HostCompiler, AStageThatIsKilledTwiceIsAFailure) {
  EXPECT_EQ(compile(*make_script("echo Killed; exit 137"), kTiny).outcome, Outcome::kFailed);
}

// A full disk's part in it is seen from the folder; tests/quickstart/full_disk_test.cpp has one.
TEST_F(HostCompiler, ASourceThatIsGoneIsNotTheCandidatesFault) {
  const auto result = make_script("rm *.cpp; exit 1")->compile(kTiny, sha256_hex(kTiny), 60);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kSystem);
  EXPECT_THAT(result.error().what, HasSubstr(cache.path()));
}

TEST_F(HostCompiler, ACandidateThatOnlySaysTheDiskIsFullFailsItself) {
  const Compilation result = compile(*compiler, "#error No space left on device\n");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(compile(*make_script("echo 'ld: No space left on device'; exit 1"), kTiny).outcome,
            Outcome::kFailed);
}

TEST_F(HostCompiler, ACacheFolderThatIsGoneIsASystemError) {
  std::filesystem::remove_all(cache.path());
  const auto result = compiler->compile(kTiny, sha256_hex(kTiny), 60);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kSystem);
}

TEST_F(HostCompiler, ThreadsThatCompileTheSameSourceShareOneCompile) {
  constexpr int kThreads = 8;
  std::atomic<int> anew{0};
  std::atomic<int> compiled{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const auto result = compiler->compile(kTiny, sha256_hex(kTiny), 120);
      if (!result || result->outcome != Outcome::kCompiled) return;
      ++compiled;
      if (!result->cached) ++anew;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiled, kThreads);
  EXPECT_EQ(anew, 1);
  EXPECT_THAT(left_over(), testing::IsEmpty());
}

TEST_F(HostCompiler, SeveralCompilersOnOneFolderEndWithOneGoodBinary) {
  std::vector<std::unique_ptr<Compiler>> compilers;
  for (int i = 0; i < 4; ++i) compilers.push_back(make());
  std::vector<std::thread> threads;
  std::vector<std::string> binaries(compilers.size());
  for (std::size_t i = 0; i < compilers.size(); ++i) {
    threads.emplace_back([&, i] {
      auto result = compilers[i]->compile(kTiny, sha256_hex(kTiny), 120);
      if (result) binaries[i] = result->binary;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& binary : binaries) EXPECT_EQ(binary, binaries[0]);
  EXPECT_TRUE(compile(*compiler, kTiny).cached);
  EXPECT_THAT(left_over(), testing::IsEmpty());
}

TEST_F(HostCompiler, TheEnvironmentsSecretsAreNotSeenByTheCompiler) {
  ::setenv("PTXBATCH_TEST_API_KEY", "s3cret", 1);
  const Compilation result = compile(*make_script("env; exit 1"), kTiny);
  ::unsetenv("PTXBATCH_TEST_API_KEY");
  EXPECT_THAT(result.output, AllOf(HasSubstr("PATH="), Not(HasSubstr("s3cret"))));
}

}  // namespace
}  // namespace ptxbatch
