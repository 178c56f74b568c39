// What the host's pack shows to models must compile, be allowed, and compute what it says.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/compile/bans.h"
#include "ranks/prompt/pack.h"
#include "tests/compile/compile_fixture.h"

namespace ptxbatch {
namespace {

class HostPack : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_pack(PTXBATCH_PACKS_FOLDER "/host");
    ASSERT_TRUE(loaded) << describe(loaded.error());
    pack = std::move(*loaded);
    auto made = make_compiler(target_named("host"), cache.path());
    ASSERT_TRUE(made) << describe(made.error());
    compiler = std::move(*made);
  }

  [[nodiscard]] std::string header(const std::string& file) const {
    for (const PackComponent& component : pack.components) {
      for (const PackDocument& document : component.documents) {
        if (document.file == file) return document.text;
      }
    }
    ADD_FAILURE() << file << " is not in the pack";
    return "";
  }

  void expect_compiles(const std::string& name, const std::string& source) const {
    const auto banned = find_banned_use(source, "host");
    EXPECT_FALSE(banned) << name << " uses " << banned->name;
    const Compilation result = compile(*compiler, source);
    EXPECT_EQ(result.outcome, Compilation::Outcome::kCompiled) << name << "\n" << result.output;
  }

  Pack pack;
  TemporaryFolder cache;
  std::unique_ptr<Compiler> compiler;
};

// "#pragma once" in a main file is all that g++ warns of.
TEST_F(HostPack, EachTemplateCompilesAlone) {
  int templates = 0;
  for (const PackComponent& component : pack.components) {
    for (const PackDocument& document : component.documents) {
      if (!document.file.ends_with(".h")) continue;
      expect_compiles(document.file, document.text);
      ++templates;
    }
  }
  EXPECT_GE(templates, 3);
}

TEST_F(HostPack, TheExampleCompiles) {
  expect_compiles(pack.example.file, pack.example.text);
}

// Fills result[] with largest relative errors; each must stay below what the templates promise.
constexpr const char* kCheck = R"(
#include <cmath>
#include <vector>
static float noise(int i) { return static_cast<float>((i * 2654435761u) % 2000u) / 1000.0f - 1.0f; }
static double relative(double x, double y) { return std::fabs(x - y) / (std::fabs(y) + 1e-30); }
extern "C" __attribute__((visibility("default"))) void check(double* result) {
  // 0: exp over its range
  double worst = 0;
  for (float x = -87.0f; x < 87.0f; x += 0.0137f) {
    float y[8];
    vec::store(y, vec::exp(vec::splat(x)));
    worst = std::fmax(worst, relative(y[3], std::exp(static_cast<double>(x))));
  }
  result[0] = worst;
  // 1: dot products of all lengths up to 70; 2: reductions
  std::vector<float> a(70), b(70);
  for (int i = 0; i < 70; ++i) { a[i] = 1.5f + noise(i); b[i] = 1.5f + noise(i + 70); }
  worst = 0;
  for (int n = 0; n <= 70; ++n) {
    double right = 0;
    for (int i = 0; i < n; ++i) right += static_cast<double>(a[i]) * b[i];
    worst = std::fmax(worst, n == 0 ? std::fabs(vec::dot(&a[0], &b[0], 0)) : relative(vec::dot(&a[0], &b[0], n), right));
  }
  result[1] = worst;
  float largest = a[0], total = 0;
  for (int i = 0; i < 8; ++i) { largest = std::fmax(largest, a[i]); total += a[i]; }
  result[2] = relative(vec::max(vec::load(&a[0])), largest) + relative(vec::sum(vec::load(&a[0])), total);
  // 3: a product of 7 x 9 x 19, all of whose tiles are at an edge, in two blocks of k
  const int M = 7, N = 19, K = 9;
  std::vector<float> A(M * K), B(N * K), C(M * N, std::nanf("")), pa(K * tile::kRows), pb(K * tile::kColumns);
  for (int i = 0; i < M * K; ++i) A[i] = 1.5f + noise(i);
  for (int i = 0; i < N * K; ++i) B[i] = 1.5f + noise(3 * i);
  for (int k0 = 0; k0 < K; k0 += 5) {
    const int k = K - k0 < 5 ? K - k0 : 5;
    for (int i = 0; i < M; i += 6) for (int j = 0; j < N; j += 16) {
      const int rows = M - i < 6 ? M - i : 6, columns = N - j < 16 ? N - j : 16;
      tile::pack<tile::kRows>(&A[i * K + k0], K, rows, k, &pa[0]);
      tile::pack<tile::kColumns>(&B[j * K + k0], K, columns, k, &pb[0]);
      float* c = &C[i * N + j];
      if (rows == 6 && columns == 16) tile::multiply(k, &pa[0], &pb[0], c, N, k0 > 0);
      else tile::multiply_edge(k, &pa[0], &pb[0], c, N, k0 > 0, rows, columns);
    }
  }
  worst = 0;
  for (int i = 0; i < M; ++i) for (int j = 0; j < N; ++j) {
    double right = 0;
    for (int k = 0; k < K; ++k) right += static_cast<double>(A[i * K + k]) * B[j * K + k];
    worst = std::fmax(worst, std::isnan(C[i * N + j]) ? 1 : relative(C[i * N + j], right));
  }
  result[3] = worst;
}
)";

TEST_F(HostPack, TheTemplatesComputeWhatTheySay) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    GTEST_SKIP() << "this processor has no AVX2 and FMA";
  }
  const std::string source = header("templates/vector.h") + header("templates/exp.h") +
                             header("templates/gemm_tile.h") + kCheck;
  const Compilation compiled = compile(*compiler, source);
  ASSERT_EQ(compiled.outcome, Compilation::Outcome::kCompiled) << compiled.output;
  void* library = ::dlopen(compiled.binary.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << ::dlerror();
  auto* check = reinterpret_cast<void (*)(double*)>(::dlsym(library, "check"));
  ASSERT_NE(check, nullptr);
  std::vector<double> errors(4, 1.0);
  check(errors.data());
  ::dlclose(library);
  EXPECT_LT(errors[0], 2e-7) << "exp";
  EXPECT_LT(errors[1], 1e-6) << "dot";
  EXPECT_LT(errors[2], 1e-6) << "sum and max";
  EXPECT_LT(errors[3], 1e-6) << "gemm tile";
}

}  // namespace
}  // namespace ptxbatch
