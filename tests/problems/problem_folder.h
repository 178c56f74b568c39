// A folder of problems in a temporary place, for tests that spoil one thing in it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "ranks/problems/problem.h"

namespace ptxbatch {

inline constexpr const char* kWorkload = "00000000-0000-0000-0000-000000000001";

/// C = A B^T, M var, with one workload of 5 rows.
inline nlohmann::ordered_json gemm_definition() {
  return nlohmann::ordered_json::parse(R"({
    "name": "small_gemm",
    "description": "A small matrix multiplication.",
    "op_type": "gemm",
    "tags": ["target:host"],
    "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 3},
             "K": {"type": "const", "value": 4}},
    "inputs": {"A": {"shape": ["M", "K"], "dtype": "float32"},
               "B": {"shape": ["N", "K"], "dtype": "float32"}},
    "outputs": {"C": {"shape": ["M", "N"], "dtype": "float32"}},
    "reference": "def run(A, B):\n    return A @ B.T\n"
  })");
}

inline nlohmann::ordered_json gemm_workload() {
  return nlohmann::ordered_json::parse(R"({
    "definition": "small_gemm", "solution": null,
    "workload": {"axes": {"M": 5}, "inputs": {"A": {"type": "random"}, "B": {"type": "random"}},
                 "uuid": "00000000-0000-0000-0000-000000000001"},
    "evaluation": null
  })");
}

class ProblemFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ptxbatch_problems_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write_definition(gemm_definition().dump(2));
    write_workloads(gemm_workload().dump() + "\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  void write_definition(const std::string& text) const { write(kDefinition, text); }
  void write_workloads(const std::string& text) const { write(kWorkloads, text); }

  [[nodiscard]] Result<Problem> load(const std::string& workload = kWorkload) const {
    return load_problem(folder_, "small_gemm", workload);
  }
  /// Loads, expecting a failure.
  [[nodiscard]] Error load_error(const std::string& workload = kWorkload) const {
    const auto problem = load(workload);
    EXPECT_FALSE(problem.has_value());
    return problem ? Error{} : problem.error();
  }
  [[nodiscard]] std::string path(const std::string& relative) const { return folder_ / relative; }

  static constexpr const char* kDefinition = "definitions/gemm/small_gemm.json";
  static constexpr const char* kWorkloads = "workloads/gemm/small_gemm.jsonl";

  std::filesystem::path folder_;
};

/// One spoiled value and the fields of the error that it must give.
struct Spoiled {
  const char* name;
  void (*spoil)(nlohmann::ordered_json&);
  const char* key;
  const char* what;  // part of it
};

inline void PrintTo(const Spoiled& spoiled, std::ostream* stream) {
  *stream << spoiled.name;
}

}  // namespace ptxbatch
