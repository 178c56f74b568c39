// The HTTP client against real servers: llama.cpp's with a tiny random model, and LiteLLM's proxy,
// which speaks all three APIs. tests/peers/install.sh gets them; without them there is nothing to
// test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <thread>

#include "common/file_system.h"
#include "common/process.h"
#include "ranks/generate/api_keys.h"
#include "ranks/generate/http_client.h"
#include "ranks/generate/http_loop.h"
#include "ranks/generate/permit_gate.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

std::string peers_folder() {
  const char* folder = std::getenv("PTXBATCH_PEERS");
  return folder != nullptr ? folder : PTXBATCH_PEERS_FOLDER;
}

// A server's process, from its start to the end of the test.
class Peer {
 public:
  // Its input is /dev/null, whose end would stop it at once; `tail -f` holds a pipe open instead.
  explicit Peer(const std::string& command) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", "tail -f /dev/null | exec " + command};
    spec.environment = tool_environment();
    auto child = ChildProcess::start(spec);
    if (!child) return;
    child_.emplace(std::move(*child));
    const Deadline deadline = deadline_in(120);
    while (url_.empty() && SteadyClock::now() < deadline) {
      if (child_->wait_readable(-1, deadline_in(0.05)) == ChildProcess::Readable::kChildEnded)
        break;
      find_url();
    }
  }
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] std::string output() const { return child_ ? child_->output() : ""; }

 private:
  void find_url() {
    constexpr std::string_view kWord = "listening http://";
    const std::string& output = child_->output();
    const std::size_t at = output.find(kWord);
    const std::size_t end = output.find('\n', at);
    if (at == std::string::npos || end == std::string::npos) return;
    const std::size_t begin = at + std::string_view("listening ").size();
    url_ = output.substr(begin, end - begin);
  }

  std::optional<ChildProcess> child_;
  std::string url_;
};

class PeersTest : public testing::Test {
 protected:
  ModelResult ask(const std::string& provider, const std::string& url, const std::string& name,
                  bool stream = true, const std::string& key = "") {
    ModelSpec model;
    model.name = name;
    model.provider = provider;
    model.endpoint.url = url;
    model.endpoint.model = name;
    model.endpoint.max_tokens = 24;
    model.endpoint.stream = stream;
    model.endpoint.retries = {20, 0.5, 2};  // a server that has a port may not serve yet
    if (!key.empty()) {
      model.endpoint.api_key_env = "PTXBATCH_PEER_KEY";
      ::setenv("PTXBATCH_PEER_KEY", key.c_str(), 1);
      keys_ = ApiKeys::take_from_environment({model});
    }
    const auto client = make_http_client(model, {110, &loop_, &gate_, &keys_});
    ModelRequest request;
    request.messages = {{"system", "You write kernels."}, {"user", "Write one."}};
    std::promise<ModelResult> promise;
    client->submit(std::move(request),
                   [&](ModelResult result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }

  HttpLoop loop_;
  OpenGate gate_;
  ApiKeys keys_;
};

TEST_F(PeersTest, LlamaCppStreamsRealTokens) {
  const std::string python = peers_folder() + "/llama/bin/python";
  const std::string model = peers_folder() + "/tiny.gguf";
  if (::access(model.c_str(), R_OK) != 0) {
    GTEST_SKIP() << "no llama.cpp server in " << peers_folder() << ": bash tests/peers/install.sh";
  }
  const Peer peer(python + " " + PTXBATCH_PEERS_SOURCE + "/llama_server.py " + model);
  ASSERT_FALSE(peer.url().empty()) << peer.output();
  for (const bool stream : {true, false}) {
    const ModelResult result = ask("openai", peer.url() + "/v1", "tiny.gguf", stream);
    ASSERT_TRUE(result) << describe(result.error().error);
    const ReplyRecord& reply = result->reply;
    EXPECT_FALSE(reply.text.empty());
    EXPECT_EQ(reply.end, ReplyEnd::kTruncated);
    EXPECT_FALSE(reply.usage_estimated);
    EXPECT_EQ(reply.completion_tokens, 24);
    EXPECT_GT(reply.prompt_tokens, 10);
    EXPECT_THAT(reply.model_returned, HasSubstr("tiny.gguf"));
  }
}

TEST_F(PeersTest, LlamaCppSaysThatAPromptIsTooLong) {
  const std::string model = peers_folder() + "/tiny.gguf";
  if (::access(model.c_str(), R_OK) != 0) {
    GTEST_SKIP() << "no llama.cpp server in " << peers_folder() << ": bash tests/peers/install.sh";
  }
  const Peer peer(peers_folder() + "/llama/bin/python " + PTXBATCH_PEERS_SOURCE +
                  "/llama_server.py " + model);
  ASSERT_FALSE(peer.url().empty()) << peer.output();
  ModelSpec spec;
  spec.name = "tiny";
  spec.provider = "openai";
  spec.endpoint.url = peer.url() + "/v1";
  spec.endpoint.model = "tiny.gguf";
  const auto client = make_http_client(spec, {110, &loop_, &gate_, &keys_});
  ModelRequest request;
  request.messages = {{"user", std::string(20000, 'a')}};
  std::promise<ModelResult> promise;
  client->submit(std::move(request),
                 [&](ModelResult result) { promise.set_value(std::move(result)); });
  const ModelResult result = promise.get_future().get();
  ASSERT_TRUE(result) << describe(result.error().error);
  EXPECT_EQ(result->end_without_reply, TrajectoryEnd::kContextExhausted) << result->reason;
}

TEST_F(PeersTest, LiteLlmSpeaksAllThreeApis) {
  const std::string python = peers_folder() + "/litellm/bin/python";
  if (::access((peers_folder() + "/litellm/bin/litellm").c_str(), X_OK) != 0) {
    GTEST_SKIP() << "no LiteLLM in " << peers_folder() << ": bash tests/peers/install.sh";
  }
  const Peer peer(python + " " + PTXBATCH_PEERS_SOURCE + "/litellm_proxy.py");
  ASSERT_FALSE(peer.url().empty()) << peer.output();
  for (const bool stream : {true, false}) {
    for (const auto& [provider, base] : std::vector<std::pair<std::string, std::string>>{
             {"openai", "/v1"}, {"anthropic", "/v1"}, {"gemini", "/v1beta"}}) {
      const ModelResult result =
          ask(provider, peer.url() + base, "canned", stream, "sk-peers-test");
      ASSERT_TRUE(result) << provider << ": " << describe(result.error().error);
      EXPECT_THAT(result->reply.text, HasSubstr("void run() {}")) << provider;
      EXPECT_EQ(result->reply.end, ReplyEnd::kComplete) << provider;
    }
  }
  const ModelResult refused = ask("openai", peer.url() + "/v1", "canned", true, "sk-wrong");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().kind, ModelFailure::Kind::kTransport);  // 400 without a data base
}

}  // namespace
}  // namespace ptxbatch
