// A judge with the real keeper and runner of the GPU targets, and problems for it. Where there is
// no NVIDIA GPU a test that uses it is skipped, and says so.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/scratch_folder.h"
#include "ranks/profile/judge.h"

namespace ptxbatch {

using Outcome = Evaluation::Outcome;

/// C = A B^T in bfloat16.
Problem bf16_gemm(std::int64_t m, std::int64_t n, std::int64_t k);
/// mha_fwd, mha_fwd_causal, mha_bwd or mha_bwd_causal in bfloat16.
Problem bf16_attention(const std::string& op_type, std::int64_t batch, std::int64_t heads,
                       std::int64_t tokens, std::int64_t width);

/// Small enough that the simplest kernel takes a fraction of a millisecond, and large enough that
/// the reference is one kernel.
inline Problem small_gemm() {
  return bf16_gemm(2048, 1024, 256);
}
/// The paper's problem of this op_type.
Problem paper_problem(const std::string& op_type);

/// The path of a candidate that CMakeLists.txt built.
std::string gpu_candidate(const std::string& name);

bool gpu_is_there();

/// An evaluation on one line, for a test's log.
std::string report(const Evaluation& evaluation);

/// Two trials, few calls: what a test needs and no more.
JudgeConfig gpu_config(const std::string& scratch);

/// The references as a candidate for problems of this op_type: a copy in `scratch`, since its
/// file's name tells it of causal masks.
std::string reference_candidate(const std::string& scratch, const std::string& op_type);

/// The references as candidates load their libraries, which no other candidate may.
void let_references_be_candidates(JudgeConfig& config);

class GpuTest : public ::testing::Test {
 protected:
  GpuTest();
  void SetUp() override;
  /// A judge made of gpu_config(), replacing the one there is.
  void use(const JudgeConfig& config);
  Evaluation evaluate(const std::string& name) {
    return judge_->evaluate(small_gemm(), gpu_candidate(name));
  }
  [[nodiscard]] const std::string& scratch() const { return scratch_.path(); }

  ScratchFolder scratch_;
  std::unique_ptr<Judge> judge_;
};

}  // namespace ptxbatch
