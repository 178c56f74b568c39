// Asks a server of the test's own through the HTTP client.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "ranks/generate/api_keys.h"
#include "ranks/generate/http_client.h"
#include "ranks/generate/http_loop.h"
#include "ranks/generate/permit_gate.h"
#include "tests/generate/fault_server.h"
#include "tests/generate/recorded_streams.h"

namespace ptxbatch {

inline constexpr const char* kKeyVariable = "PTXBATCH_TEST_API_KEY";
inline constexpr const char* kKey = "sk-test-0123456789abcdef";

// A model that is quick to give up.
inline ModelSpec model_at(const std::string& url, const std::string& provider = "openai") {
  ModelSpec model;
  model.name = "tested";
  model.provider = provider;
  EndpointSpec& endpoint = model.endpoint;
  endpoint.url = url;
  endpoint.model = "m";
  endpoint.max_tokens = 1000;
  endpoint.clocks = {5, 5, 5, 5};
  endpoint.retries = {3, 0.001, 0.002};
  return model;
}

class HttpClientTest : public testing::Test {
 protected:
  // A proxy of the machine's would stand between us and our server.
  HttpClientTest() {
    for (const char* name :
         {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
      ::unsetenv(name);
    }
  }

  void with_key(ModelSpec& model) {
    ::setenv(kKeyVariable, kKey, 1);
    model.endpoint.api_key_env = kKeyVariable;
    keys_ = ApiKeys::take_from_environment({model});
  }

  std::unique_ptr<ModelClient> client(const ModelSpec& model) {
    return make_http_client(model, {60, &loop_, &gate_, &keys_});
  }

  static ModelRequest request(int index = 0) {
    ModelRequest request;
    request.trajectory.index = index;
    request.messages = {{"system", "You write kernels."}, {"user", "Write one."}};
    request.prompt_tokens = 10;
    return request;
  }

  ModelResult ask(ModelClient& client, ModelRequest what) {
    std::promise<ModelResult> promise;
    client.submit(std::move(what),
                  [&](ModelResult result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }
  ModelResult ask(const ModelSpec& model) {
    const auto asked = client(model);
    return ask(*asked, request());
  }

  void expect_failure(const ModelResult& result, ModelFailure::Kind kind,
                      const std::string& cause) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, kind) << describe(result.error().error);
    EXPECT_EQ(result.error().cause, cause) << describe(result.error().error);
    EXPECT_FALSE(result.error().error.what.empty());
  }

  HttpLoop loop_;
  OpenGate gate_;
  ApiKeys keys_;
};

}  // namespace ptxbatch
