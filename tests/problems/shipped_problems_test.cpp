// The problems in experiments/problems: all of them load, and the paper's five are what the paper
// says: names, workloads, shapes, types, and FLOPs computed by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "ranks/problems/operators.h"
#include "ranks/problems/problem.h"

namespace ptxbatch {
namespace {

const std::filesystem::path kFolder = PTXBATCH_PROBLEMS_FOLDER;

using Shape = std::vector<std::int64_t>;

struct Signature {
  std::string name;
  DataType type;
  Shape shape;
  bool operator==(const Signature&) const = default;
};

void PrintTo(const Signature& signature, std::ostream* stream) {
  *stream << signature.name << ' ' << data_type_name(signature.type) << ' '
          << testing::PrintToString(signature.shape);
}

std::vector<Signature> inputs_of(const Problem& problem) {
  std::vector<Signature> result;
  for (const auto& input : problem.inputs) {
    result.push_back({input.tensor.name, input.tensor.type, input.tensor.shape});
  }
  return result;
}

std::vector<Signature> outputs_of(const Problem& problem) {
  std::vector<Signature> result;
  for (const auto& output : problem.outputs) {
    result.push_back({output.name, output.type, output.shape});
  }
  return result;
}

struct Expected {
  const char* test_name;
  const char* definition;
  const char* workload;
  const char* op_type;
  std::vector<Signature> inputs;
  std::vector<Signature> outputs;
  double flops;
  int trials;
};

void PrintTo(const Expected& expected, std::ostream* stream) {
  *stream << expected.definition;
}

constexpr auto kBf16 = DataType::kBFloat16;
constexpr auto kF32 = DataType::kFloat32;
const Shape kHeads = {4, 48, 4096, 128};
const Shape kRows = {4, 48, 4096};

const std::vector<Signature> kForwardInputs = {
    {"Q", kBf16, kHeads}, {"K", kBf16, kHeads}, {"V", kBf16, kHeads}};
const std::vector<Signature> kForwardOutputs = {{"O", kBf16, kHeads}, {"LSE", kF32, kRows}};
const std::vector<Signature> kBackwardInputs = {{"Q", kBf16, kHeads},  {"K", kBf16, kHeads},
                                                {"V", kBf16, kHeads},  {"O", kBf16, kHeads},
                                                {"dO", kBf16, kHeads}, {"L", kF32, kRows}};
const std::vector<Signature> kBackwardOutputs = {
    {"dQ", kBf16, kHeads}, {"dK", kBf16, kHeads}, {"dV", kBf16, kHeads}};

// FLOPs by hand. S^2 B H D = 16,777,216 * 4 * 48 * 128 = 412,316,860,416.
const Expected kShipped[] = {
    {"Gemm",
     "gemm_n7168_k5120",
     "94920358-01a8-4c5b-9209-3103fd490e94",
     "gemm",
     {{"A", kBf16, {8192, 5120}}, {"B", kBf16, {7168, 5120}}},
     {{"C", kBf16, {8192, 7168}}},
     601'295'421'440.0,
     3},
    {"MhaForward", "mha_with_lse_d128", "bc38b351-d595-451b-9153-8e225702e53b", "mha_fwd",
     kForwardInputs, kForwardOutputs, 1'649'267'441'664.0, 3},
    {"MhaForwardCausal", "mha_with_lse_d128_causal", "6d2f67a7-225a-4af5-87d3-cbb99b496325",
     "mha_fwd_causal", kForwardInputs, kForwardOutputs, 824'633'720'832.0, 3},
    {"MhaBackward", "mha_bwd_d128", "38c3b07c-f006-5f5e-9860-ba214c805a6b", "mha_bwd",
     kBackwardInputs, kBackwardOutputs, 4'123'168'604'160.0, 1},
    {"MhaBackwardCausal", "mha_bwd_d128_causal", "c119b3f0-c051-5e96-9c2a-2268d992fe1a",
     "mha_bwd_causal", kBackwardInputs, kBackwardOutputs, 2'061'584'302'080.0, 1},
    {"HostGemm",
     "gemm_f32_n192_k160",
     "7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41",
     "gemm",
     {{"A", kF32, {136, 160}}, {"B", kF32, {192, 160}}},
     {{"C", kF32, {136, 192}}},
     8'355'840.0,
     3},
    {"HostMhaForward",
     "mha_with_lse_f32_d64",
     "b1a7c1c2-52f3-4f0e-8d0b-6c1f3a4e7d22",
     "mha_fwd",
     {{"Q", kF32, {1, 2, 136, 64}}, {"K", kF32, {1, 2, 136, 64}}, {"V", kF32, {1, 2, 136, 64}}},
     {{"O", kF32, {1, 2, 136, 64}}, {"LSE", kF32, {1, 2, 136}}},
     9'469'952.0,
     3},
};

class ShippedProblem : public testing::TestWithParam<Expected> {};

TEST_P(ShippedProblem, IsWhatTheProtocolSays) {
  const auto& expected = GetParam();
  const auto problem = load_problem(kFolder, expected.definition, expected.workload);
  ASSERT_TRUE(problem.has_value()) << describe(problem.error());
  EXPECT_EQ(problem->op_type, expected.op_type);
  EXPECT_EQ(inputs_of(*problem), expected.inputs);
  EXPECT_EQ(outputs_of(*problem), expected.outputs);
  const auto* found = find_operator(problem->op_type);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->flops(*problem), expected.flops);
  EXPECT_EQ(found->default_trials(), expected.trials);
}

INSTANTIATE_TEST_SUITE_P(Each, ShippedProblem, testing::ValuesIn(kShipped),
                         [](const auto& each) { return each.param.test_name; });

struct HeldOut {
  const char* definition;
  const char* workload;
  std::int64_t width;
  double flops;
};

void PrintTo(const HeldOut& held_out, std::ostream* stream) {
  *stream << held_out.definition;
}

// S^2 B H D = 16,777,216 * 4 * 48 * D: 206,158,430,208 for D = 64, 309,237,645,312 for D = 96.
const HeldOut kHeldOut[] = {
    {"mha_with_lse_d64", "7d2575a0-bcc2-42a0-812f-6a7e9a57d97f", 64, 824'633'720'832.0},
    {"mha_with_lse_d64_causal", "b69f7675-568f-40f2-9a4b-8bbe374b4a59", 64, 412'316'860'416.0},
    {"mha_bwd_d64", "d3bcb902-6a13-5ada-9251-fa841b10cd0b", 64, 2'061'584'302'080.0},
    {"mha_bwd_d64_causal", "5799ea50-77aa-56cb-9f62-a4c1f5473770", 64, 1'030'792'151'040.0},
    {"mha_with_lse_d96", "e86112ff-2cd0-4e97-8efb-9ce6356ecb2b", 96, 1'236'950'581'248.0},
    {"mha_with_lse_d96_causal", "982c9922-961f-452f-ab9e-574fdcd4e28c", 96, 618'475'290'624.0},
    {"mha_bwd_d96", "082481a9-4a67-5c62-8093-560bb80e4c24", 96, 3'092'376'453'120.0},
    {"mha_bwd_d96_causal", "3a45eb5c-3362-5705-bd42-80324d26a471", 96, 1'546'188'226'560.0},
};

class HeldOutProblem : public testing::TestWithParam<HeldOut> {};

TEST_P(HeldOutProblem, IsThePapersAttentionWithOtherHeads) {
  const auto problem = load_problem(kFolder, GetParam().definition, GetParam().workload);
  ASSERT_TRUE(problem.has_value()) << describe(problem.error());
  const Shape heads = {4, 48, 4096, GetParam().width};
  EXPECT_EQ(problem->inputs[0].tensor.shape, heads);
  EXPECT_EQ(problem->outputs[0].shape, heads);
  EXPECT_EQ(find_operator(problem->op_type)->flops(*problem), GetParam().flops);
}

INSTANTIATE_TEST_SUITE_P(Each, HeldOutProblem, testing::ValuesIn(kHeldOut),
                         [](const auto& each) { return std::string(each.param.definition); });

std::vector<std::filesystem::path> files_under(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

TEST(ShippedProblems, AllLoadWithEachOfTheirWorkloads) {
  std::set<std::string> uuids;
  std::size_t loaded = 0;
  for (const auto& path : files_under(kFolder / "workloads")) {
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line); ++loaded) {
      const auto uuid = nlohmann::json::parse(line)["workload"]["uuid"].get<std::string>();
      EXPECT_TRUE(uuids.insert(uuid).second) << uuid << " is used twice";
      const auto problem = load_problem(kFolder, path.stem(), uuid);
      EXPECT_TRUE(problem.has_value()) << describe(problem.error());
    }
  }
  EXPECT_GE(loaded, std::size(kShipped) + std::size(kHeldOut));
}

TEST(ShippedProblems, EachDefinitionHasAWorkload) {
  for (const auto& path : files_under(kFolder / "definitions")) {
    auto workloads = kFolder / "workloads" / path.parent_path().filename() / path.stem();
    workloads += ".jsonl";
    EXPECT_TRUE(std::filesystem::exists(workloads)) << workloads;
  }
}

}  // namespace
}  // namespace ptxbatch
