// Runs whose model is a server: what is sent, paid for, kept and never shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "common/file_system.h"
#include "tests/generate/fault_server.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/process_tree.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kKey = "sk-live-5up3r53cr3t-0987654321";

// Prose: judged in no time, as an extraction error. 100 prompt tokens and 40 of the reply.
std::string prose_stream() {
  return "data: {\"id\":\"r\",\"model\":\"m-1\",\"choices\":[{\"delta\":{\"content\":\"I would "
         "tile it.\"},\"finish_reason\":\"stop\"}]}\n\n"
         "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":40}}\n\n"
         "data: [DONE]\n\n";
}

void answer_prose(const httplib::Request& /*request*/, httplib::Response& response) {
  FaultServer::answer(response, prose_stream());
}

std::string served_model(const std::string& name, const std::string& url,
                         const std::string& further = "") {
  return "[[models]]\nname = \"" + name + "\"\nprovider = \"openai\"\nmodel = \"m\"\nurl = \"" +
         url + "\"\nretries = { attempts = 2, first_delay_s = 0.001, longest_delay_s = 0.002 }\n" +
         further;
}

SmallExperiment experiment_with(const std::string& models, int replicas = 2, int turns = 3) {
  SmallExperiment small;
  small.models = models;
  small.replicas = replicas;
  small.protocol = "turns = " + std::to_string(turns) + "\n";
  return small;
}

std::vector<std::string> run_arguments(const Workspace& workspace) {
  return {"run", workspace.experiment(), "-o", workspace.results()};
}

// Three working ranks, on machines of two cores too.
ProcessSpec three_ranks(const Workspace& workspace) {
  std::vector<std::string> arguments = run_arguments(workspace);
  arguments.emplace_back("--allow-unfit");
  return mpi_command(4, arguments);
}

ProcessSpec with_key(ProcessSpec spec) {
  spec.environment.push_back(std::string("SOME_KEY=") + kKey);
  return spec;
}

// Every file below the workspace that holds the key.
std::vector<std::string> files_with_key(const Workspace& workspace) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(workspace.file("."))) {
    if (!entry.is_regular_file()) continue;
    const auto text = read_text(entry.path().string());
    if (text && text->find(kKey) != std::string::npos) found.push_back(entry.path().string());
  }
  return found;
}

bool shows_key(const Process& process) {
  const std::string folder = "/proc/" + std::to_string(process.pid);
  for (const char* file : {"/environ", "/cmdline"}) {
    const auto text = read_text(folder + file);
    if (text && text->find(kKey) != std::string::npos) return true;
  }
  return false;
}

TEST(ModelRun, ShowsTheKeyToNobodyButTheServer) {
  FaultServer* server_at_hand = nullptr;
  std::atomic<int> with_the_key = 0;
  FaultServer server([&](const httplib::Request& request, httplib::Response& response) {
    if (request.get_header_value("Authorization") == std::string("Bearer ") + kKey) {
      ++with_the_key;
    }
    if (request.body.find("\"leaky\"") != std::string::npos) {
      response.status = 401;
      response.set_content(std::string(R"({"error":{"message":"bad key )") + kKey + "\"}}",
                           "application/json");
      return;
    }
    server_at_hand->hold_until(3);  // two trajectories and the test
    answer_prose(request, response);
  });
  server_at_hand = &server;
  const Workspace workspace;
  std::string leaky = served_model("leaky", server.url(), "api_key_env = \"SOME_KEY\"\n");
  leaky.replace(leaky.find("model = \"m\""), 11, "model = \"leaky\"");
  workspace.write(
      experiment_with(served_model("good", server.url(), "api_key_env = \"SOME_KEY\"\n") + leaky));
  ChildProcess run = start(with_key(ptxbatch_command(run_arguments(workspace))));
  server.wait_for_requests(3);
  for (const Process& process : process_tree(run.pid())) {
    EXPECT_FALSE(shows_key(process)) << process.name;
  }
  server.hold_until(3);
  const CommandEnd end = finish(run);
  EXPECT_EQ(end.exit_code, 2) << end.output;
  EXPECT_GT(with_the_key, 2);
  EXPECT_THAT(end.output, AllOf(HasSubstr("bad key [key]"), Not(HasSubstr(kKey))));
  EXPECT_THAT(files_with_key(workspace), testing::IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(workspace.results()));
}

TEST(ModelRun, SaysOnceThatAKeyIsWrongAndGoesOnWithTheOtherModel) {
  FaultServer server(answer_prose);
  FaultServer refusing(
      [](const httplib::Request&, httplib::Response& response) { response.status = 401; });
  const Workspace workspace;
  workspace.write(
      experiment_with(served_model("refused", refusing.url(), "api_key_env = \"SOME_KEY\"\n") +
                          served_model("good", server.url()),
                      /*replicas=*/4));
  const CommandEnd end = run(with_key(mpi_command(3, run_arguments(workspace))));
  EXPECT_EQ(end.exit_code, 2) << end.output;
  const std::size_t first = end.output.find("Check the key in $SOME_KEY");
  ASSERT_NE(first, std::string::npos) << end.output;
  EXPECT_EQ(end.output.find("Check the key in $SOME_KEY", first + 1), std::string::npos)
      << end.output;
  EXPECT_LE(refusing.requests(), 4);
  EXPECT_EQ(server.requests(), 4 * 3);
  EXPECT_EQ(read_run(workspace.results()).turns.size(), 12U);
}

TEST(ModelRun, StopsWhenItsTokensAreSpentAndGoesOnWithMore) {
  FaultServer server(answer_prose);
  const Workspace workspace;
  // One trajectory waits for its permit while the other's reply comes.
  SmallExperiment small =
      experiment_with(served_model("m", server.url(), "limits = { in_flight = 1 }\n"), 2, 4);
  small.rest = "[spending]\nmax_tokens = 500\n";
  workspace.write(small);
  const CommandEnd stopped = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(stopped.exit_code, 75) << stopped.output;
  EXPECT_THAT(stopped.output, AllOf(HasSubstr("560 tokens of the 500"), HasSubstr("--max-tokens"),
                                    Not(HasSubstr("Run the same command again"))));
  const std::size_t first = stopped.output.find("560 tokens of the 500");
  EXPECT_EQ(stopped.output.find("560 tokens of the 500", first + 1), std::string::npos);
  EXPECT_EQ(server.requests(), 4);
  EXPECT_EQ(read_run(workspace.results()).turns.size(), 4U);  // what was paid for is judged
  EXPECT_THAT(ptxbatch({"status", "--json", workspace.results()}).output,
              HasSubstr("\"limit_reached\": true"));

  const CommandEnd again = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(again.exit_code, 75) << again.output;
  EXPECT_EQ(server.requests(), 4);

  std::vector<std::string> more = run_arguments(workspace);
  more.insert(more.end(), {"--max-tokens", "100000"});
  const CommandEnd finished = ptxbatch(more);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_EQ(server.requests(), 2 * 4);  // nothing was paid for twice
  EXPECT_THAT(ptxbatch({"status", "--json", workspace.results()}).output,
              HasSubstr("\"limit_reached\": false"));
  EXPECT_THAT(ptxbatch({"status", workspace.results()}).output, HasSubstr("1120 tokens"));
}

TEST(ModelRun, PaysOnceForAReplyWhateverIsKilled) {
  FaultServer* server_at_hand = nullptr;
  std::atomic<bool> answering_all = false;
  std::atomic<int> answered = 0;
  FaultServer server([&](const httplib::Request& request, httplib::Response& response) {
    if (!answering_all && answered.fetch_add(1) >= 3) {
      server_at_hand->hang(response, ": PROCESSING\n\n");
    } else {
      answer_prose(request, response);
    }
  });
  server_at_hand = &server;
  const Workspace workspace;
  workspace.write(experiment_with(served_model("m", server.url()), 2, 4));
  JournalWatch watch(workspace.results());
  ChildProcess killed = start(ptxbatch_command(run_arguments(workspace)));
  ASSERT_TRUE(watch.wait_for_turns(killed, 3));
  server.wait_for_requests(5);  // three answered, and one more of each trajectory
  ProcessHandles(process_tree(killed.pid())).kill_all();
  finish(killed, 10);
  ASSERT_EQ(server.requests(), 5);

  answering_all = true;
  const CommandEnd end = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(end.exit_code, 0) << end.output;
  // Eight turns, and the two whose replies never came.
  EXPECT_EQ(server.requests(), 8 + 2);
  EXPECT_EQ(duplicates(read_run(workspace.results())), "");
  EXPECT_THAT(read_text(workspace.results() + ".log").value(), HasSubstr("requests_unanswered"));
}

TEST(ModelRun, AllRanksTogetherKeepToTheRequestsInFlight) {
  FaultServer* server_at_hand = nullptr;
  FaultServer server([&](const httplib::Request& request, httplib::Response& response) {
    server_at_hand->hold_until(2);  // so that two are in flight at least once
    answer_prose(request, response);
  });
  server_at_hand = &server;
  const Workspace workspace;
  workspace.write(experiment_with(served_model("m", server.url(), "limits = { in_flight = 2 }\n"),
                                  /*replicas=*/9));
  const CommandEnd end = run(three_ranks(workspace));
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(server.requests(), 9 * 3);
  EXPECT_EQ(server.most_at_once(), 2);
}

TEST(ModelRun, AGatewayMakesTheCallsOfTheOthers) {
  FaultServer server(answer_prose);
  const Workspace workspace;
  SmallExperiment small = experiment_with(served_model("m", server.url()), 4);
  small.rest = "[rank]\ngeneration = \"gateway\"\ngateway_ranks = [2]\n";
  workspace.write(small);
  const CommandEnd end = run(three_ranks(workspace));
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(server.requests(), 4 * 3);
  const RunRecords records = read_run(workspace.results());
  ASSERT_EQ(records.turns.size(), 12U);
  for (const TurnRecord& turn : records.turns) EXPECT_NE(turn.rank, 2);

  const Workspace alone;
  alone.write(small);
  const CommandEnd refused = ptxbatch(run_arguments(alone));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr("gateway_ranks"));
}

TEST(ModelRun, ATrajectoryThatCannotBeAnsweredIsPutBackAndThenRecordedAsFailed) {
  FaultServer server(
      [](const httplib::Request&, httplib::Response& response) { response.status = 503; });
  const Workspace workspace;
  SmallExperiment small = experiment_with(served_model("m", server.url()), 1);
  small.rest = "[rank]\nput_backs = 1\n";
  workspace.write(small);
  const CommandEnd end = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(end.exit_code, 2) << end.output;
  EXPECT_THAT(end.output, HasSubstr("the server answered 503"));
  EXPECT_EQ(server.requests(), 2 * 2);  // two attempts, twice
}

TEST(ModelRun, TheDoctorLooksAtEachEndpoint) {
  FaultServer server(answer_prose);
  FaultServer refusing(
      [](const httplib::Request&, httplib::Response& response) { response.status = 402; });
  const Workspace workspace;
  workspace.write(
      experiment_with(served_model("good", server.url(), "api_key_env = \"SOME_KEY\"\n")));
  const CommandEnd good = run(with_key(ptxbatch_command({"doctor", workspace.experiment()})));
  EXPECT_EQ(good.exit_code, 0) << good.output;
  EXPECT_THAT(good.output,
              AllOf(HasSubstr("$SOME_KEY is set"), HasSubstr("m is listed"), HasSubstr("stream"),
                    HasSubstr("100 + 40 tokens"), Not(HasSubstr(kKey))));

  workspace.write(experiment_with(
      served_model("unset", server.url(), "api_key_env = \"PTXBATCH_NOT_SET\"\n") +
      served_model("nobody", "http://127.0.0.1:1/v1") + served_model("poor", refusing.url())));
  const CommandEnd faults = ptxbatch({"doctor", workspace.experiment()});
  EXPECT_EQ(faults.exit_code, 1) << faults.output;
  EXPECT_THAT(faults.output, AllOf(HasSubstr("export PTXBATCH_NOT_SET="),
                                   HasSubstr("no connection to http://127.0.0.1:1/v1"),
                                   HasSubstr("no credit left")));
}

// The first prompt fits; the server then counts far more than was estimated.
TEST(ModelRun, AContextThatIsFullEndsTheTrajectoryAndIsSaid) {
  FaultServer server([](const httplib::Request& /*request*/, httplib::Response& response) {
    std::string stream = prose_stream();
    stream.replace(stream.find(":100,"), 5, ":97000,");
    FaultServer::answer(response, stream);
  });
  const Workspace workspace;
  workspace.write(experiment_with(
      served_model("m", server.url(), "context_tokens = 98000\nleast_reply_tokens = 2000\n"), 1));
  const CommandEnd end = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_EQ(server.requests(), 1);
  EXPECT_THAT(end.output, HasSubstr("1 ended since the model's context was exhausted"));
  EXPECT_THAT(ptxbatch({"status", workspace.results()}).output, HasSubstr("complete"));
}

TEST(ModelRun, ACostThatTheServerWasSaidToGiveAndDoesNotStopsIt) {
  FaultServer server(answer_prose);
  const Workspace workspace;
  SmallExperiment small =
      experiment_with(served_model("m", server.url(), "prices = { reported = true }\n"), 1);
  small.rest = "[spending]\nmax_cost_usd = 5\n";
  workspace.write(small);
  const CommandEnd stopped = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(stopped.exit_code, 75) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("the server of model 'm' gave no cost"));
  EXPECT_EQ(server.requests(), 1);

  small.models = served_model("m", server.url(), "prices = { prompt = 1, completion = 2 }\n");
  workspace.write(small);
  const CommandEnd finished = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("model 'm'.prices"));
  EXPECT_EQ(server.requests(), 3);
}

TEST(ModelRun, AnAddressThatIsCorrectedIsTakenUp) {
  FaultServer server(answer_prose);
  const Workspace workspace;
  const std::string retries = "retries = { attempts = 1 }\n";
  workspace.write(
      experiment_with("[[models]]\nname = \"m\"\nprovider = \"openai\"\nmodel = \"m\"\n" + retries +
                          "url_env = \"PTXBATCH_NOT_SET\"\n",
                      1));
  const CommandEnd unset = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(unset.exit_code, 1);
  EXPECT_THAT(unset.output, HasSubstr("$PTXBATCH_NOT_SET is not set"));
  EXPECT_THAT(ptxbatch({"doctor", workspace.experiment()}).output,
              HasSubstr("$PTXBATCH_NOT_SET is not set"));

  SmallExperiment wrong = experiment_with(served_model("m", "http://127.0.0.1:1/v1"), 1);
  wrong.rest = "[rank]\nput_backs = 0\n";
  workspace.write(wrong);
  EXPECT_EQ(ptxbatch(run_arguments(workspace)).exit_code, 2);
  wrong.models = served_model("m", server.url());
  workspace.write(wrong);
  const CommandEnd end = ptxbatch(run_arguments(workspace));
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("other settings: model 'm'.url"));
  EXPECT_EQ(read_run(workspace.results()).turns.size(), 3U);
}

}  // namespace
}  // namespace ptxbatch
