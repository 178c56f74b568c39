// Keys, redirections, proxies and certificates: whom the HTTP client talks to, and what it gives
// away.
#include "common/process.h"
#include "tests/generate/http_client_fixture.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = ModelFailure::Kind;

class HttpConnection : public HttpClientTest {};

TEST_F(HttpConnection, AKeyThatAServerRepeatsIsNotShown) {
  FaultServer server([](const httplib::Request& request, httplib::Response& response) {
    response.status = 401;
    response.set_content(
        R"({"error":{"message":"Wrong key: )" + request.get_header_value("Authorization") + "\"}}",
        "application/json");
  });
  ModelSpec model = model_at(server.url());
  with_key(model);
  const ModelResult result = ask(model);
  expect_failure(result, Kind::kModel, "key_refused");
  EXPECT_THAT(describe(result.error().error), HasSubstr("Bearer [key]"));
  EXPECT_THAT(describe(result.error().error), Not(HasSubstr(kKey)));
  EXPECT_THAT(describe(result.error().error), HasSubstr(kKeyVariable));
}

TEST_F(HttpConnection, AMissingKeyIsSaidBeforeAnythingIsSent) {
  FaultServer server([](const httplib::Request&, httplib::Response&) {});
  ModelSpec model = model_at(server.url());
  model.endpoint.api_key_env = "PTXBATCH_TEST_NO_SUCH_KEY";
  const ModelResult result = ask(model);
  expect_failure(result, Kind::kModel, "key_missing");
  EXPECT_THAT(result.error().error.hint, HasSubstr("PTXBATCH_TEST_NO_SUCH_KEY"));
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(HttpConnection, ARedirectionIsReportedNotFollowed) {
  FaultServer elsewhere([](const httplib::Request&, httplib::Response& response) {
    FaultServer::answer(response, openai_stream());
  });
  FaultServer server([&](const httplib::Request&, httplib::Response& response) {
    response.set_redirect(elsewhere.url(), 307);
  });
  ModelSpec model = model_at(server.url());
  with_key(model);
  const ModelResult result = ask(model);
  expect_failure(result, Kind::kModel, "redirected");
  EXPECT_THAT(result.error().error.what, HasSubstr(elsewhere.url()));
  EXPECT_EQ(elsewhere.requests(), 0);
}

TEST_F(HttpConnection, GoesThroughAProxy) {
  std::string path;
  FaultServer proxy([&](const httplib::Request& request, httplib::Response& response) {
    path = request.path;
    FaultServer::answer(response, openai_stream());
  });
  const std::string address = "http://127.0.0.1:" + std::to_string(proxy.port());
  ::setenv("http_proxy", address.c_str(), 1);  // https_proxy is read in the same place
  ::unsetenv("no_proxy");
  const ModelResult result = ask(model_at("http://models.invalid/v1"));
  ::unsetenv("http_proxy");
  ASSERT_TRUE(result) << describe(result.error().error);
  EXPECT_THAT(path, HasSubstr("models.invalid/v1/chat/completions"));
}

TEST_F(HttpConnection, NobodyThereIsATransportFailure) {
  std::string url;
  {
    const FaultServer gone([](const httplib::Request&, httplib::Response&) {});
    url = gone.url();
  }
  const ModelResult result = ask(model_at(url));
  expect_failure(result, Kind::kTransport, "connect");
  EXPECT_THAT(result.error().error.what, HasSubstr(url));
}

TEST_F(HttpConnection, ACertificateThatIsNotTrustedIsTheModelsFault) {
  const auto openssl = find_program("openssl");
  if (!openssl) GTEST_SKIP() << "no openssl (Debian: openssl)";
  const TestFolder folder;
  const std::string certificate = folder.file("certificate.pem");
  const std::string key = folder.file("key.pem");
  ProcessSpec make;
  make.argv = {*openssl,   "req",           "-x509",   "-newkey",
               "rsa:2048", "-nodes",        "-days",   "2",
               "-subj",    "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
               "-out",     certificate,     "-keyout", key};
  make.environment = tool_environment();
  const auto made = run_process(make, 60);
  ASSERT_TRUE(made && made->end.ok()) << (made ? made->output : describe(made.error()));
  FaultServer server(
      [](const httplib::Request&, httplib::Response& response) {
        FaultServer::answer(response, openai_stream());
      },
      certificate, key);
  ModelSpec model = model_at(server.url());
  const ModelResult refused = ask(model);
  expect_failure(refused, Kind::kModel, "certificate");
  EXPECT_THAT(refused.error().error.hint, HasSubstr("ca_file"));
  EXPECT_EQ(server.requests(), 0);
  model.endpoint.ca_file = certificate;
  EXPECT_TRUE(ask(model));
}

}  // namespace
}  // namespace ptxbatch
