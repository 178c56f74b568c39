#include "orchestrator/rank_main.h"

#include <memory>
#include <thread>

#include "common/log.h"
#include "common/process.h"
#include "common/version.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/installation.h"
#include "orchestrator/model_section.h"
#include "orchestrator/scratch.h"
#include "ranks/pipeline.h"

namespace ptxbatch {
namespace {

void say_goodbye(const RankEnd& end, const std::string& error) {
  end.send(encode_message(Goodbye{error}));
}

// The first message: what to work on.
Result<Welcome> await_welcome(const RankEnd& end) {
  const auto bytes = end.receive();
  if (!bytes) return fail(ErrorKind::kProtocol, "the coordinator did not answer");
  auto message = decode_coordinator_message(*bytes);
  if (!message) return fail(message.error());
  if (const auto* refusal = std::get_if<Refusal>(&*message); refusal != nullptr) {
    return fail(ErrorKind::kConflict, refusal->message);
  }
  if (auto* welcome = std::get_if<Welcome>(&*message); welcome != nullptr)
    return std::move(*welcome);
  return fail(ErrorKind::kProtocol, "the coordinator began with an unexpected message");
}

Result<PipelineConfig> make_config(const RankEnd& end, const Welcome& welcome,
                                   const std::string& scratch_folder) {
  auto experiment = parse_experiment(welcome.experiment_text, welcome.experiment_file);
  if (!experiment) return fail(experiment.error().front());
  PipelineConfig config;
  for (const TargetSpec& target : experiment->targets) {
    if (auto programs = find_target_programs(target.name); !programs) return fail(programs.error());
  }
  config.keys =
      end.keys
          ? end.keys
          : std::make_shared<const ApiKeys>(ApiKeys::take_from_environment(experiment->models));
  take_urls_from_environment(experiment->models);
  config.experiment = std::move(*experiment);
  config.rank = end.rank;
  config.session = welcome.session;
  config.device = welcome.device;
  config.ranks_on_this_host = end.ranks_on_this_host;
  config.scratch_folder = scratch_folder;
  config.programs = [](const std::string& target) { return *find_target_programs(target); };
  return config;
}

// Hands the coordinator's messages to the pipeline until the link closes.
void forward_messages(const RankEnd& end, Pipeline& pipeline) {
  while (auto bytes = end.receive()) {
    auto message = decode_coordinator_message(*bytes);
    if (!message) {
      spdlog::error("rank {}: {}", end.rank, describe(message.error()));
      continue;
    }
    pipeline.deliver(std::move(*message));
  }
}

}  // namespace

bool run_rank(const RankEnd& end) {
  end.send(encode_message(Hello{kVersion, kGitCommit, host_name()}));
  const auto welcome = await_welcome(end);
  if (!welcome) {
    say_goodbye(end, describe(welcome.error()));
    return true;
  }
  auto scratch = make_rank_scratch(end.rank);
  if (!scratch) {
    say_goodbye(end, describe(scratch.error()));
    return true;
  }
  auto config = make_config(end, *welcome, scratch->path());
  if (!config) {
    say_goodbye(end, describe(config.error()));
    return true;
  }
  // On the heap, and left there when turns were abandoned: their threads still use it.
  auto pipeline = std::make_unique<Pipeline>(std::move(*config), end.send);
  std::thread forwarder([&end, &pipeline] { forward_messages(end, *pipeline); });
  const bool drained = pipeline->run();
  end.close();
  forwarder.join();
  if (!drained) static_cast<void>(pipeline.release());
  return drained;
}

}  // namespace ptxbatch
