// Keys: out of the environment, and out of every text.
#include "ranks/generate/api_keys.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ptxbatch {
namespace {

constexpr const char* kVariables[] = {"PTXBATCH_TEST_FIRST_KEY", "PTXBATCH_TEST_SECOND_KEY"};

ApiKeys keys_of(const std::vector<std::string>& values) {
  std::vector<ModelSpec> models;
  for (const std::string& value : values) {
    const char* variable = kVariables[models.size()];
    ::setenv(variable, value.c_str(), 1);
    models.emplace_back().endpoint.api_key_env = variable;
  }
  return ApiKeys::take_from_environment(models);
}

TEST(ApiKeysTest, AKeyLeavesTheEnvironment) {
  const ApiKeys keys = keys_of({" sk-0123 \n"});
  EXPECT_EQ(std::getenv(kVariables[0]), nullptr);
  ASSERT_NE(keys.find(kVariables[0]), nullptr);
  EXPECT_EQ(*keys.find(kVariables[0]), "sk-0123");
}

TEST(ApiKeysTest, EachPlaceOfAKeyInATextIsCovered) {
  EXPECT_EQ(keys_of({"sk-0123"}).redact("sk-0123, Bearer sk-0123"), "[key], Bearer [key]");
}

TEST(ApiKeysTest, AKeyMayBePartOfWhatStandsInItsPlace) {
  EXPECT_EQ(keys_of({"key"}).redact("wrong key"), "wrong [key]");
  EXPECT_EQ(keys_of({"sk-0123", "key"}).redact("sk-0123 or key"), "[key] or [key]");
}

TEST(ApiKeysTest, OfAKeyThatBeginsWithAnotherNothingIsLeft) {
  EXPECT_EQ(keys_of({"sk-01", "sk-0123"}).redact("sk-0123"), "[key]");
}

}  // namespace
}  // namespace ptxbatch
