#include "tests/gpu/gpu_fixture.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "ranks/compile/tools.h"

namespace ptxbatch {
namespace {

Tensor tensor(std::string name, std::vector<std::int64_t> shape,
              DataType type = DataType::kBFloat16) {
  return {std::move(name), type, std::move(shape)};
}
Argument input(std::string name, std::vector<std::int64_t> shape,
               DataType type = DataType::kBFloat16) {
  return {tensor(std::move(name), std::move(shape), type), false, 0};
}

ScratchFolder make_scratch() {
  auto folder = ScratchFolder::make(::testing::TempDir(), "gpu-judge-");
  return std::move(folder.value());
}

/// Where the programs and candidates are: where they were built, unless they were moved.
std::string built(const char* path) {
  const char* moved_from = std::getenv("PTXBATCH_TEST_MOVED_FROM");
  const char* moved_to = std::getenv("PTXBATCH_TEST_MOVED_TO");
  const std::string text = path;
  if (moved_from == nullptr || moved_to == nullptr || !text.starts_with(moved_from)) return text;
  return moved_to + text.substr(std::string(moved_from).size());
}

}  // namespace

Problem bf16_gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem;
  problem.definition = "gemm_test";
  problem.op_type = "gemm";
  problem.workload = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  problem.axes = {{"M", m}, {"N", n}, {"K", k}};
  problem.inputs = {input("A", {m, k}), input("B", {n, k})};
  problem.outputs = {tensor("C", {m, n})};
  return problem;
}

Problem bf16_attention(const std::string& op_type, std::int64_t batch, std::int64_t heads,
                       std::int64_t tokens, std::int64_t width) {
  const std::vector<std::int64_t> shape{batch, heads, tokens, width};
  const std::vector<std::int64_t> rows{batch, heads, tokens};
  Problem problem;
  problem.definition = op_type + "_test";
  problem.op_type = op_type;
  problem.workload = std::to_string(tokens) + "x" + std::to_string(width);
  problem.axes = {{"B", batch}, {"H", heads}, {"S", tokens}, {"D", width}};
  problem.inputs = {input("Q", shape), input("K", shape), input("V", shape)};
  if (op_type.starts_with("mha_fwd")) {
    problem.outputs = {tensor("O", shape), tensor("LSE", rows, DataType::kFloat32)};
  } else {
    problem.inputs.push_back(input("O", shape));
    problem.inputs.push_back(input("dO", shape));
    problem.inputs.push_back(input("L", rows, DataType::kFloat32));
    problem.outputs = {tensor("dQ", shape), tensor("dK", shape), tensor("dV", shape)};
  }
  return problem;
}

Problem paper_problem(const std::string& op_type) {
  return op_type == "gemm" ? bf16_gemm(8192, 7168, 5120)
                           : bf16_attention(op_type, 4, 48, 4096, 128);
}

std::string gpu_candidate(const std::string& name) {
  return built(CANDIDATES) + "/" + name + ".so";
}

bool gpu_is_there() {
  return ::access("/dev/nvidiactl", F_OK) == 0;
}

std::string report(const Evaluation& evaluation) {
  std::string text = "outcome " + std::to_string(static_cast<int>(evaluation.outcome)) + " in " +
                     evaluation.phase + " after call " + std::to_string(evaluation.call) + ": " +
                     evaluation.detail + ", device error " +
                     std::to_string(evaluation.device_error) + ", " +
                     std::to_string(evaluation.candidate_latency_ms) + " ms against " +
                     std::to_string(evaluation.reference_latency_ms) + " ms, " +
                     std::to_string(evaluation.seconds) + " s";
  for (const OutputError& error : evaluation.errors) {
    text += "; " + error.output + ": wrong " + std::to_string(error.wrong) + " of " +
            std::to_string(error.elements) + ", max abs " + std::to_string(error.max_abs) +
            ", never written " + std::to_string(error.never_written);
  }
  return text;
}

JudgeConfig gpu_config(const std::string& scratch) {
  JudgeConfig config;
  config.target = "hopper";
  config.device = 0;
  config.keeper_program = built(KEEPER_PROGRAM);
  config.runner_program = built(RUNNER_PROGRAM);
  config.tracer_program = built(TRACER_PROGRAM);
  config.calibration_candidate = built(CALIBRATION);
  config.instrumented_program = built(INSTRUMENTED_PROGRAM);
  if (auto sanitizer = find_compute_sanitizer()) config.sanitizer_program = *sanitizer;
  if (auto ncu = find_ncu()) config.ncu_program = *ncu;
  config.scratch_folder = scratch;
  config.protocol.trials = 2;
  config.protocol.warmups = 2;
  config.protocol.iterations = 10;
  config.protocol.pair_blocks = 0;  // cuBLAS is unsteady at sizes as small as the tests'
  config.budgets.evaluate_s = 5;
  return config;
}

std::string reference_candidate(const std::string& scratch, const std::string& op_type) {
  const std::string path = scratch + "/" + op_type + ".so";
  std::filesystem::copy_file(gpu_candidate("reference"), path,
                             std::filesystem::copy_options::overwrite_existing);
  return path;
}

void let_references_be_candidates(JudgeConfig& config) {
  config.readable = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", config.scratch_folder};
  if (const char* folders = std::getenv("LD_LIBRARY_PATH"); folders != nullptr) {
    std::istringstream list(folders);
    for (std::string folder; std::getline(list, folder, ':');) config.readable.push_back(folder);
  }
}

GpuTest::GpuTest() : scratch_(make_scratch()) {}

void GpuTest::SetUp() {
  if (!gpu_is_there()) GTEST_SKIP() << "there is no NVIDIA GPU on this machine";
  use(gpu_config(scratch()));
}

void GpuTest::use(const JudgeConfig& config) {
  judge_.reset();
  auto judge = make_judge(config);
  ASSERT_TRUE(judge) << describe(judge.error());
  judge_ = std::move(*judge);
}

}  // namespace ptxbatch
