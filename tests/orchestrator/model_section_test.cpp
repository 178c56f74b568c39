// [[models]] behind HTTP: what is read, what is refused, and files of models that are included.
#include "orchestrator/model_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/file_system.h"
#include "orchestrator/experiment_bundle.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/input_check.h"
#include "orchestrator/installation.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kRest = R"([[targets]]
name = "host"
[[problems]]
name = "GEMM"
definition = "gemm_f32_n192_k160"
workload = "7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41"
)";

std::string with_model(const std::string& lines) {
  return "name = \"e\"\n[[models]]\nname = \"m\"\n" + lines + "\n" + kRest;
}

ModelSpec model_of(const std::string& lines) {
  const auto experiment = parse_experiment(with_model(lines), "/f/e.toml");
  if (!experiment) {
    ADD_FAILURE() << describe(experiment.error().front());
    return {};
  }
  return experiment->models.at(0);
}

Error error_of(const std::string& lines) {
  const auto experiment = parse_experiment(with_model(lines), "/f/e.toml");
  if (experiment) {
    ADD_FAILURE() << "accepted: " << lines;
    return {};
  }
  return experiment.error().front();
}

TEST(ModelSection, ReadsAnEndpoint) {
  const EndpointSpec endpoint = model_of(R"(provider = "openai"
url = "https://models.example/v1"
model = "some-model"
api_key_env = "SOME_KEY"
ca_file = "authority.pem"
temperature = 1.0
top_k = 20
max_tokens = 81920
context_tokens = 262144
headers = { X-Title = "PTXBench" }
[models.limits]
in_flight = 8
requests_per_minute = 60
tokens_per_minute = 100000
[models.prices]
prompt = 2.5
completion = 10
[models.clocks]
idle_s = 30
[models.body]
provider = { order = ["a", "b"], allow_fallbacks = false }
)")
                                    .endpoint;
  EXPECT_EQ(endpoint.url, "https://models.example/v1");
  EXPECT_EQ(endpoint.ca_file, "/f/authority.pem");
  EXPECT_EQ(endpoint.sampling.temperature, 1.0);
  EXPECT_EQ(endpoint.sampling.top_k, 20);
  EXPECT_EQ(endpoint.sampling.top_p, std::nullopt);
  EXPECT_EQ(endpoint.limits.in_flight, 8);
  EXPECT_EQ(endpoint.limits.tokens_per_minute, 100000);
  EXPECT_EQ(endpoint.prices.completion, 10);
  EXPECT_EQ(endpoint.clocks.idle_s, 30);
  EXPECT_EQ(endpoint.clocks.connect_s, 30);
  EXPECT_EQ(endpoint.headers.at("X-Title"), "PTXBench");
  EXPECT_EQ(nlohmann::json::parse(endpoint.body),
            nlohmann::json::parse(R"({"provider":{"order":["a","b"],"allow_fallbacks":false}})"));
}

TEST(ModelSection, HasTheUsualAddressOfEachApi) {
  EXPECT_EQ(model_of("provider = \"gemini\"\nmodel = \"g\"").endpoint.url,
            "https://generativelanguage.googleapis.com/v1beta");
}

// A key in the file is refused, and not repeated.
TEST(ModelSection, TakesNoKeys) {
  const Error pasted =
      error_of("provider = \"openai\"\nmodel = \"g\"\napi_key_env = \"sk-abc-123\"");
  EXPECT_EQ(pasted.key, "models[0].api_key_env");
  EXPECT_THAT(describe(pasted), Not(HasSubstr("sk-abc")));
  const Error header = error_of(
      "provider = \"openai\"\nmodel = \"g\"\nheaders = { Authorization = \"Bearer sk-abc\" }");
  EXPECT_THAT(describe(header), HasSubstr("api_key_env"));
  EXPECT_THAT(describe(header), Not(HasSubstr("sk-abc")));
}

TEST(ModelSection, RefusesWhatTheApiDoesNotKnow) {
  EXPECT_EQ(error_of("provider = \"anthropic\"\nmodel = \"g\"\nmax_tokens = 9\nseed = 1").key,
            "models[0].seed");
  EXPECT_EQ(error_of("provider = \"anthropic\"\nmodel = \"g\"").key, "models[0].max_tokens");
  EXPECT_EQ(error_of("provider = \"openai\"\nmodel = \"g\"\nurl = \"models.example\"").key,
            "models[0].url");
  EXPECT_EQ(error_of("provider = \"openai\"\nmodel = \"g\"\nreplies = \"r\"").key,
            "models[0].replies");
}

// What is meant for a server of one's own never goes to the provider.
TEST(ModelSection, AnAddressFromTheEnvironmentHasNoDefault) {
  const std::string lines = "provider = \"openai\"\nmodel = \"g\"\nurl_env = \"PTXBATCH_TEST_URL\"";
  ModelSpec model = model_of(lines);
  EXPECT_EQ(model.endpoint.url, "");
  ::unsetenv("PTXBATCH_TEST_URL");
  const Status unset = take_url_from_environment(model);
  ASSERT_FALSE(unset);
  EXPECT_THAT(unset.error().what, HasSubstr("$PTXBATCH_TEST_URL is not set"));
  EXPECT_EQ(unset.error().line, 2);
  ::setenv("PTXBATCH_TEST_URL", "node7:8000/v1", 1);
  const Status no_address = take_url_from_environment(model);
  ASSERT_FALSE(no_address);
  EXPECT_THAT(no_address.error().what, HasSubstr("'node7:8000/v1', which is not an address"));
  ::setenv("PTXBATCH_TEST_URL", "http://node7:8000/v1", 1);
  EXPECT_TRUE(take_url_from_environment(model));
  EXPECT_EQ(model.endpoint.url, "http://node7:8000/v1");
  ::unsetenv("PTXBATCH_TEST_URL");
  ModelSpec with_both = model_of(lines + "\nurl = \"http://here/v1\"");
  EXPECT_TRUE(take_url_from_environment(with_both));
  EXPECT_EQ(with_both.endpoint.url, "http://here/v1");
}

std::vector<Error> input_errors(const std::string& lines, const std::string& rest) {
  const auto experiment = parse_experiment(with_model(lines) + rest, "/f/e.toml");
  if (!experiment) return experiment.error();
  return check_inputs(*experiment);
}

TEST(ModelSection, ALimitOnTheCostNeedsAPriceOrAServerThatGivesTheCost) {
  const std::string served = "provider = \"openai\"\nmodel = \"g\"\n";
  const std::string limit = "[spending]\nmax_cost_usd = 5\n";
  const auto errors = input_errors(served, limit);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].key, "models.prices");
  EXPECT_THAT(errors[0].hint, HasSubstr("reported = true"));
  EXPECT_TRUE(input_errors(served, "").empty());
  for (const char* prices :
       {"prompt = 2.5, completion = 10", "prompt = 0, completion = 0", "reported = true"}) {
    EXPECT_TRUE(input_errors(served + "prices = { " + prices + " }", limit).empty()) << prices;
  }
  EXPECT_EQ(error_of(served + "prices = {}").key, "models[0].prices");
}

TEST(ModelSection, AContextThatTheFirstPromptFillsIsRefused) {
  const std::string served = "provider = \"openai\"\nmodel = \"g\"\ncontext_tokens = ";
  const auto errors = input_errors(served + "5000", "");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].key, "models.context_tokens");
  EXPECT_EQ(errors[0].line, 2);
  EXPECT_TRUE(input_errors(served + "200000", "").empty());
}

class IncludedModels : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_text(folder_.file(name), text));
  }
  tl::expected<Experiment, std::vector<Error>> read() {
    return read_experiment_file(folder_.file("e.toml"));
  }
  TestFolder folder_;
  const std::string main_ = "name = \"e\"\nmodels_from = [\"one.toml\", \"two.toml\"]\n" + kRest;
  const std::string model_ = "[[models]]\nprovider = \"openai\"\nmodel = \"x\"\nname = ";
};

TEST_F(IncludedModels, ComeInTheirOrderAndWithTheText) {
  write("e.toml", main_);
  write("one.toml", model_ + "\"one\"\n");
  write("two.toml", model_ + "\"two\"");
  const auto experiment = read();
  ASSERT_TRUE(experiment) << describe(experiment.error().front());
  ASSERT_EQ(experiment->models.size(), 2U);
  EXPECT_EQ(experiment->models[0].name, "one");
  EXPECT_EQ(experiment->models[1].name, "two");
  // The stored text needs no files: a rank, or a reader of results, has them in it.
  const auto again = parse_experiment(experiment->text, "/elsewhere/e.toml");
  ASSERT_TRUE(again) << describe(again.error().front());
  EXPECT_EQ(again->models[1].name, "two");
  EXPECT_EQ(split_bundle(experiment->text).text, main_);
}

TEST_F(IncludedModels, AMistakeNamesItsFileAndLine) {
  write("e.toml", main_);
  write("one.toml", model_ + "\"one\"\ntemprature = 1\n");
  write("two.toml", model_ + "\"two\"\n");
  const auto experiment = read();
  ASSERT_FALSE(experiment);
  EXPECT_THAT(experiment.error()[0].file, HasSubstr("one.toml"));
  EXPECT_EQ(experiment.error()[0].line, 5);
  EXPECT_EQ(experiment.error()[0].key, "models[0].temprature");
}

TEST_F(IncludedModels, AMissingFileIsNamed) {
  write("e.toml", main_);
  write("one.toml", model_ + "\"one\"\n");
  const auto experiment = read();
  ASSERT_FALSE(experiment);
  EXPECT_EQ(experiment.error()[0].key, "models_from");
  EXPECT_THAT(experiment.error()[0].what, HasSubstr("two.toml"));
}

// The models of the paper, as they are shipped.
TEST(ShippedModels, AreReadAndHaveThePapersSettings) {
  const std::string folder = problems_folder() + "/../models/";
  std::string text = "name = \"e\"\nmodels_from = [";
  for (const char* file : {"qwen3.6-27b", "claude-opus-4.8", "glm-5.2", "gemini-3.1-pro"}) {
    text += "\"" + folder + file + ".toml\", ";
  }
  const TestFolder scratch;
  ASSERT_TRUE(write_text(scratch.file("e.toml"), text + "]\n" + kRest));
  const auto experiment = read_experiment_file(scratch.file("e.toml"));
  ASSERT_TRUE(experiment) << describe(experiment.error().front());
  ASSERT_EQ(experiment->models.size(), 4U);
  const EndpointSpec& qwen = experiment->models[0].endpoint;
  EXPECT_EQ(qwen.sampling.temperature, 1.0);
  EXPECT_EQ(qwen.sampling.top_p, 0.95);
  EXPECT_EQ(qwen.sampling.top_k, 20);
  EXPECT_EQ(qwen.sampling.presence_penalty, 1.5);
  EXPECT_EQ(qwen.max_tokens, 81920);
  EXPECT_EQ(experiment->models[1].endpoint.max_tokens, 128000);
  EXPECT_EQ(experiment->models[1].endpoint.sampling.reasoning_effort, "xhigh");
  EXPECT_EQ(experiment->models[2].endpoint.max_tokens, 131072);
  EXPECT_EQ(experiment->models[3].endpoint.max_tokens, 65536);
}

}  // namespace
}  // namespace ptxbatch
