// What a line of a workload file must be, and what the error says when it is not.
#include "ranks/problems/workload.h"

#include <gmock/gmock.h>

#include "ranks/problems/definition.h"
#include "tests/problems/problem_folder.h"

namespace ptxbatch {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

using WorkloadFile = ProblemFolder;

constexpr const char* kOther = "00000000-0000-0000-0000-000000000002";

std::string other_workload() {
  auto line = gemm_workload();
  line["workload"]["uuid"] = kOther;
  line["workload"]["axes"]["M"] = 9;
  return line.dump();
}

TEST_F(WorkloadFile, IsSearchedForTheUuid) {
  write_workloads(gemm_workload().dump() + "\n\n" + other_workload());
  EXPECT_EQ(load().value().axes.at("M"), 5);
  EXPECT_EQ(load(kOther).value().axes.at("M"), 9);
}

TEST_F(WorkloadFile, MayEndItsLinesAsWindowsDoes) {
  write_workloads(gemm_workload().dump() + "\r\n\r\n" + other_workload() + "\r\n");
  EXPECT_EQ(load(kOther).value().axes.at("M"), 9);
}

TEST_F(WorkloadFile, WithoutTheUuidIsRefusedWithThoseThatItHas) {
  const auto error = load_error("11111111-0000-0000-0000-000000000000");
  EXPECT_EQ(error.kind, ErrorKind::kInput);
  EXPECT_EQ(error.file, path(kWorkloads));
  EXPECT_EQ(error.key, "workload.uuid");
  EXPECT_THAT(error.what, HasSubstr("11111111-0000-0000-0000-000000000000"));
  EXPECT_THAT(error.hint, HasSubstr(kWorkload));
}

TEST_F(WorkloadFile, ThatDoesNotExistIsNamed) {
  std::filesystem::remove(path(kWorkloads));
  const auto error = load_error();
  EXPECT_EQ(error.file, path(kWorkloads));
}

TEST_F(WorkloadFile, WithADamagedLineIsRefusedWhicheverIsAsked) {
  write_workloads(gemm_workload().dump() + "\n{\"definition\": \n");
  const auto error = load_error();
  EXPECT_EQ(error.file, path(kWorkloads));
  EXPECT_EQ(error.line, 2);
  EXPECT_GT(error.column, 0);
  EXPECT_THAT(error.what, HasSubstr("not valid JSON"));
}

TEST_F(WorkloadFile, WithOneUuidTwiceIsRefused) {
  write_workloads(gemm_workload().dump() + "\n" + gemm_workload().dump() + "\n");
  const auto error = load_error();
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.key, "workload.uuid");
}

class SpoiledWorkload : public ProblemFolder, public testing::WithParamInterface<Spoiled> {};

TEST_P(SpoiledWorkload, IsRefusedNamingFileLineAndKey) {
  auto spoiled = gemm_workload();
  GetParam().spoil(spoiled);
  write_workloads(other_workload() + "\n\n" + spoiled.dump() + "\n");
  const auto error = load_error();
  EXPECT_EQ(error.kind, ErrorKind::kInput);
  EXPECT_EQ(error.file, path(kWorkloads));
  EXPECT_EQ(error.line, 3);
  EXPECT_EQ(error.key, GetParam().key) << describe(error);
  EXPECT_THAT(error.what, HasSubstr(GetParam().what));
}

const Spoiled kSpoiledWorkloads[] = {
    {"OfAnotherDefinition", [](Json& json) { json["definition"] = "large_gemm"; }, "definition",
     "expected 'small_gemm'"},
    {"ThatIsASolution", [](Json& json) { json["solution"] = "x"; }, "solution", "expected null"},
    {"ThatIsATrace",
     [](Json& json) {
       json["evaluation"] = {{"status", "PASSED"}};
     },
     "evaluation", "expected null"},
    {"WithAnUnknownKey", [](Json& json) { json["seed"] = 1; }, "seed", "unknown key"},
    {"WithAnUnknownKeyInside", [](Json& json) { json["workload"]["seed"] = 1; }, "workload.seed",
     "unknown key"},
    {"WithoutUuid", [](Json& json) { json["workload"].erase("uuid"); }, "workload.uuid", "missing"},
    {"WithoutAxis", [](Json& json) { json["workload"]["axes"] = Json::object(); },
     "workload.axes.M", "missing"},
    {"WithUnknownAxis", [](Json& json) { json["workload"]["axes"]["L"] = 2; }, "workload.axes.L",
     "no such axis"},
    {"WithAConstAxis", [](Json& json) { json["workload"]["axes"]["N"] = 3; }, "workload.axes.N",
     "sets this axis to 3"},
    {"WithAnAxisOfZero", [](Json& json) { json["workload"]["axes"]["M"] = 0; }, "workload.axes.M",
     "positive integer"},
    {"WithAnAxisOfText", [](Json& json) { json["workload"]["axes"]["M"] = "5"; }, "workload.axes.M",
     "positive integer"},
    {"WithoutAnInput", [](Json& json) { json["workload"]["inputs"].erase("B"); },
     "workload.inputs.B", "missing"},
    {"WithAnUnknownInput",
     [](Json& json) {
       json["workload"]["inputs"]["D"] = {{"type", "random"}};
     },
     "workload.inputs.D", "no such input"},
    {"WithAnInputWithoutType", [](Json& json) { json["workload"]["inputs"]["B"].erase("type"); },
     "workload.inputs.B.type", "missing"},
    {"WithSafetensors",
     [](Json& json) {
       json["workload"]["inputs"]["B"] = {
           {"type", "safetensors"}, {"path", "b.safetensors"}, {"tensor_key", "b"}};
     },
     "workload.inputs.B.type", "not supported"},
    {"WithAScalarForATensor",
     [](Json& json) {
       json["workload"]["inputs"]["B"] = {{"type", "scalar"}, {"value", 1}};
     },
     "workload.inputs.B.type", "expected 'random'"},
};
INSTANTIATE_TEST_SUITE_P(Each, SpoiledWorkload, testing::ValuesIn(kSpoiledWorkloads),
                         [](const auto& each) { return each.param.name; });

/// No operator takes a scalar yet; the reader is ready for one.
class ScalarInput : public ProblemFolder {
 protected:
  [[nodiscard]] Result<Workload> read(const Json& input, const char* type) const {
    auto definition = gemm_definition();
    definition["inputs"]["alpha"] = {{"shape", nullptr}, {"dtype", type}};
    write_definition(definition.dump());
    auto workload = gemm_workload();
    workload["workload"]["inputs"]["alpha"] = input;
    write_workloads(workload.dump());
    const auto read_back = read_definition(path(kDefinition));
    if (!read_back) return fail(read_back.error());
    return read_workload(path(kWorkloads), *read_back, kWorkload);
  }
};

TEST_F(ScalarInput, TakesItsValueFromTheWorkload) {
  const auto workload = read({{"type", "scalar"}, {"value", 0.125}}, "float32");
  ASSERT_TRUE(workload.has_value()) << describe(workload.error());
  EXPECT_EQ(workload->scalars.at("alpha"), 0.125);
  EXPECT_EQ(workload->line, 1);
}

TEST_F(ScalarInput, OfIntegerTypeTakesNoFraction) {
  EXPECT_EQ(read({{"type", "scalar"}, {"value", 7}}, "int32").value().scalars.at("alpha"), 7);
  const auto workload = read({{"type", "scalar"}, {"value", 0.5}}, "int32");
  ASSERT_FALSE(workload.has_value());
  EXPECT_EQ(workload.error().key, "workload.inputs.alpha.value");
  EXPECT_THAT(workload.error().what, HasSubstr("int32"));
}

TEST_F(ScalarInput, CannotBeRandom) {
  const auto workload = read({{"type", "random"}}, "float32");
  ASSERT_FALSE(workload.has_value());
  EXPECT_EQ(workload.error().key, "workload.inputs.alpha.type");
  EXPECT_THAT(workload.error().what, HasSubstr("expected 'scalar'"));
}

TEST_F(ScalarInput, NeedsANumber) {
  const auto workload = read({{"type", "scalar"}, {"value", "one"}}, "float32");
  ASSERT_FALSE(workload.has_value());
  EXPECT_EQ(workload.error().key, "workload.inputs.alpha.value");
}

}  // namespace
}  // namespace ptxbatch
