// What a definition file must be, and what the error says when it is not.
#include <gmock/gmock.h>

#include "tests/problems/problem_folder.h"

namespace ptxbatch {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

using DefinitionFile = ProblemFolder;

TEST_F(DefinitionFile, GivesShapesTypesAndAxesInDefinitionOrder) {
  const auto problem = load();
  ASSERT_TRUE(problem.has_value()) << describe(problem.error());
  EXPECT_EQ(problem->definition, "small_gemm");
  EXPECT_EQ(problem->op_type, "gemm");
  EXPECT_EQ(problem->workload, kWorkload);
  EXPECT_EQ(problem->axes, (std::map<std::string, std::int64_t>{{"M", 5}, {"N", 3}, {"K", 4}}));
  ASSERT_EQ(problem->inputs.size(), 2U);
  EXPECT_EQ(problem->inputs[0].tensor.name, "A");
  EXPECT_EQ(problem->inputs[0].tensor.shape, (std::vector<std::int64_t>{5, 4}));
  EXPECT_EQ(problem->inputs[1].tensor.shape, (std::vector<std::int64_t>{3, 4}));
  EXPECT_FALSE(problem->inputs[1].is_scalar);
  ASSERT_EQ(problem->outputs.size(), 1U);
  EXPECT_EQ(problem->outputs[0].type, DataType::kFloat32);
  EXPECT_EQ(problem->outputs[0].elements(), 15);
  EXPECT_EQ(problem->outputs[0].bytes(), 60U);
}

TEST_F(DefinitionFile, IsGivenToTheModelWithoutTagsAndInFileOrder) {
  const auto problem = load();
  ASSERT_TRUE(problem.has_value()) << describe(problem.error());
  auto expected = gemm_definition();
  expected.erase("tags");
  EXPECT_EQ(problem->definition_json, expected.dump(2));
  EXPECT_THAT(problem->definition_json, HasSubstr("\n  \"name\": \"small_gemm\",\n"));
}

class SpoiledDefinition : public ProblemFolder, public testing::WithParamInterface<Spoiled> {};

TEST_P(SpoiledDefinition, IsRefusedNamingFileAndKey) {
  auto definition = gemm_definition();
  GetParam().spoil(definition);
  write_definition(definition.dump(2));
  const auto error = load_error();
  EXPECT_EQ(error.kind, ErrorKind::kInput);
  EXPECT_EQ(error.file, path(kDefinition));
  EXPECT_EQ(error.key, GetParam().key) << describe(error);
  EXPECT_THAT(error.what, HasSubstr(GetParam().what));
}

const Spoiled kSpoiledDefinitions[] = {
    {"NotAnObject", [](Json& json) { json = Json::array(); }, "", "expected an object"},
    {"UnknownKey", [](Json& json) { json["shapes"] = 1; }, "shapes", "unknown key"},
    {"NoAxes", [](Json& json) { json.erase("axes"); }, "axes", "missing key"},
    {"NoReference", [](Json& json) { json.erase("reference"); }, "reference", "missing key"},
    {"EmptyReference", [](Json& json) { json["reference"] = ""; }, "reference", "string"},
    {"AnotherName", [](Json& json) { json["name"] = "large_gemm"; }, "name", "large_gemm"},
    {"AnotherOpType", [](Json& json) { json["op_type"] = "mha_fwd"; }, "op_type", "mha_fwd"},
    {"NumberAsDescription", [](Json& json) { json["description"] = 3; }, "description", "string"},
    {"TagThatIsNoText",
     [](Json& json) {
       json["tags"] = {"a", 1};
     },
     "tags[1]", "string"},
    {"ConstraintsThatAreNoList", [](Json& json) { json["constraints"] = "M > 0"; }, "constraints",
     "expected an array"},
    {"AxisOfUnknownType", [](Json& json) { json["axes"]["M"]["type"] = "dynamic"; }, "axes.M.type",
     "'const' or 'var'"},
    {"ConstAxisWithoutValue", [](Json& json) { json["axes"]["N"].erase("value"); }, "axes.N.value",
     "missing"},
    {"AxisOfZero", [](Json& json) { json["axes"]["N"]["value"] = 0; }, "axes.N.value",
     "positive integer"},
    {"NegativeAxis", [](Json& json) { json["axes"]["N"]["value"] = -3; }, "axes.N.value",
     "positive integer"},
    {"FractionalAxis", [](Json& json) { json["axes"]["N"]["value"] = 2.5; }, "axes.N.value",
     "positive integer"},
    {"AxisBeyond63Bits", [](Json& json) { json["axes"]["N"]["value"] = UINT64_MAX; },
     "axes.N.value", "positive integer"},
    {"VarAxisWithValue", [](Json& json) { json["axes"]["M"]["value"] = 5; }, "axes.M.value",
     "unknown key"},
    {"AxisNameThatIsNoName",
     [](Json& json) {
       json["axes"]["2N"] = {{"type", "var"}};
     },
     "axes.2N", "not a name"},
    {"ShapeWithUndeclaredAxis", [](Json& json) { json["inputs"]["A"]["shape"][1] = "L"; },
     "inputs.A.shape[1]", "not an axis"},
    {"ShapeOfNumbers",
     [](Json& json) {
       json["inputs"]["A"]["shape"] = {5, 4};
     },
     "inputs.A.shape[0]", "string"},
    {"EmptyShape", [](Json& json) { json["inputs"]["A"]["shape"] = Json::array(); },
     "inputs.A.shape", "not empty"},
    {"TensorWithoutType", [](Json& json) { json["inputs"]["A"].erase("dtype"); }, "inputs.A.dtype",
     "missing"},
    {"UnsupportedType", [](Json& json) { json["inputs"]["A"]["dtype"] = "float8_e4m3fn"; },
     "inputs.A.dtype", "float8_e4m3fn"},
    {"NoInputs", [](Json& json) { json["inputs"] = Json::object(); }, "inputs", "at least one"},
    {"ScalarOutput", [](Json& json) { json["outputs"]["C"]["shape"] = nullptr; }, "outputs.C.shape",
     "an output is a tensor"},
    {"OutputNamedLikeAnInput",
     [](Json& json) {
       json["outputs"] = {{"A", json["outputs"]["C"]}};
     },
     "outputs.A", "an input has this name"},
    {"TensorOfAbsurdSize", [](Json& json) { json["axes"]["K"]["value"] = std::int64_t{1} << 62; },
     "inputs.A", "2^40"},
    {"ShapesThatAreNoGemm",
     [](Json& json) {
       json["inputs"]["B"]["shape"] = {"K", "N"};
     },
     "inputs.B.shape", "expected sizes [4, 4], found [4, 3]"},
};
INSTANTIATE_TEST_SUITE_P(Each, SpoiledDefinition, testing::ValuesIn(kSpoiledDefinitions),
                         [](const auto& each) { return each.param.name; });

TEST_F(DefinitionFile, WithASyntaxErrorIsRefusedWithLineAndColumn) {
  write_definition("{\n  \"name\": \"small_gemm\",\n  \"op_type\" \"gemm\"\n}\n");
  const auto error = load_error();
  EXPECT_EQ(error.file, path(kDefinition));
  EXPECT_EQ(error.line, 3);
  EXPECT_EQ(error.column, 18);
  EXPECT_THAT(error.what, HasSubstr("not valid JSON"));
  EXPECT_THAT(error.what, testing::Not(HasSubstr("json.exception")));
}

TEST_F(DefinitionFile, ThatIsEmptyIsRefused) {
  write_definition("");
  const auto error = load_error();
  EXPECT_EQ(error.line, 1);
  EXPECT_THAT(error.what, HasSubstr("not valid JSON"));
}

TEST_F(DefinitionFile, WithAKeyGivenTwiceIsRefused) {
  auto text = gemm_definition().dump();
  text.insert(1, R"("op_type": "gemm", )");
  write_definition(text);
  const auto error = load_error();
  EXPECT_EQ(error.file, path(kDefinition));
  EXPECT_EQ(error.key, "op_type");
  EXPECT_THAT(error.what, HasSubstr("twice"));
}

TEST_F(DefinitionFile, OfUnknownOpTypeIsRefusedWithTheKnownOnes) {
  auto definition = gemm_definition();
  definition["op_type"] = "convolution";
  write("definitions/convolution/other.json", "");
  definition["name"] = "other";
  write("definitions/convolution/other.json", definition.dump());
  const auto problem = load_problem(folder_, "other", kWorkload);
  ASSERT_FALSE(problem.has_value());
  EXPECT_EQ(problem.error().file, path("definitions/convolution/other.json"));
  EXPECT_EQ(problem.error().key, "op_type");
  EXPECT_THAT(problem.error().what, HasSubstr("convolution"));
  EXPECT_THAT(problem.error().hint, HasSubstr("gemm, mha_fwd, mha_fwd_causal, mha_bwd"));
}

TEST_F(DefinitionFile, ThatDoesNotExistIsRefusedWithThoseThatDo) {
  const auto problem = load_problem(folder_, "no_such_gemm", kWorkload);
  ASSERT_FALSE(problem.has_value());
  EXPECT_EQ(problem.error().kind, ErrorKind::kInput);
  EXPECT_EQ(problem.error().file, path("definitions"));
  EXPECT_THAT(problem.error().what, HasSubstr("no_such_gemm"));
  EXPECT_THAT(problem.error().hint, HasSubstr("small_gemm"));
}

TEST_F(DefinitionFile, InTwoFoldersIsRefused) {
  write("definitions/mha_fwd/small_gemm.json", gemm_definition().dump());
  EXPECT_THAT(load_error().what, HasSubstr("more than one"));
}

TEST_F(DefinitionFile, IsNotLookedForOutsideItsFolder) {
  const auto problem = load_problem(folder_, "../gemm/small_gemm", kWorkload);
  ASSERT_FALSE(problem.has_value());
  EXPECT_THAT(problem.error().what, HasSubstr("not a definition's name"));
}

TEST_F(DefinitionFile, FolderThatDoesNotExistIsNamed) {
  const auto problem = load_problem(path("nowhere"), "small_gemm", kWorkload);
  ASSERT_FALSE(problem.has_value());
  EXPECT_EQ(problem.error().kind, ErrorKind::kInput);
  EXPECT_EQ(problem.error().file, path("nowhere/definitions"));
}

}  // namespace
}  // namespace ptxbatch
