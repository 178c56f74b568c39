#include "orchestrator/rank_main.h"

#include <cstdlib>
#include <memory>
#include <thread>

#include "common/log.h"
#include "common/message_queue.h"
#include "common/process.h"
#include "common/version.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/heart.h"
#include "orchestrator/installation.h"
#include "orchestrator/model_section.h"
#include "orchestrator/scratch.h"
#include "ranks/generation.h"
#include "ranks/pipeline.h"
#include "ranks/visible_gpus.h"

namespace ptxbatch {
namespace {

void say_goodbye(const RankEnd& end, const std::string& error) {
  end.send(encode_message(Goodbye{error}));
}

// What the coordinator says, read by a thread that does nothing else, so that signs of life are
// seen at once whatever the rank is busy with.
class Inbox {
 public:
  Inbox(const RankEnd& end, CoordinatorWatch& watch)
      : end_(end), watch_(watch), reader_([this] { read(); }) {}
  ~Inbox() {
    end_.close();
    reader_.join();
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Waits for the next message; nothing once the link is closed.
  std::optional<CoordinatorMessage> next() { return messages_.pop(); }

 private:
  void read() {
    while (auto bytes = end_.receive()) {
      watch_.heard();
      auto message = decode_coordinator_message(*bytes);
      if (!message) {
        spdlog::error("rank {}: {}", end_.rank, describe(message.error()));
      } else if (!std::holds_alternative<Heartbeat>(*message)) {
        messages_.push(std::move(*message));
      }
    }
    messages_.close();
  }

  const RankEnd& end_;
  CoordinatorWatch& watch_;
  MessageQueue<CoordinatorMessage> messages_;
  std::thread reader_;
};

// The first message: what to work on. A dismissal can only be of before our hello.
Result<Welcome> await_welcome(Inbox& inbox) {
  auto message = inbox.next();
  while (message && std::holds_alternative<Dismissed>(*message)) message = inbox.next();
  if (!message) return fail(ErrorKind::kProtocol, "the coordinator did not answer");
  if (const auto* refusal = std::get_if<Refusal>(&*message); refusal != nullptr) {
    return fail(ErrorKind::kConflict, refusal->message);
  }
  if (auto* welcome = std::get_if<Welcome>(&*message); welcome != nullptr)
    return std::move(*welcome);
  return fail(ErrorKind::kProtocol, "the coordinator began with an unexpected message");
}

// As Slurm calls it: several of its nodes may be one machine.
std::string node_name() {
  const char* name = std::getenv("SLURMD_NODENAME");
  return name != nullptr && *name != '\0' ? name : host_name();
}

// `keys` are taken from the environment by the first life alone.
Result<PipelineConfig> make_config(const RankEnd& end, const Welcome& welcome,
                                   const std::string& scratch_folder,
                                   std::shared_ptr<const ApiKeys>& keys) {
  auto experiment = parse_experiment(welcome.experiment_text, welcome.experiment_file);
  if (!experiment) return fail(experiment.error().front());
  PipelineConfig config;
  for (const TargetSpec& target : experiment->targets) {
    if (auto programs = find_target_programs(target.name); !programs) return fail(programs.error());
  }
  if (!keys) {
    keys = std::make_shared<const ApiKeys>(ApiKeys::take_from_environment(experiment->models));
  }
  config.keys = keys;
  const bool calls_models = !experiment->rank.gateways || is_gateway(*experiment, end.rank);
  for (ModelSpec& model : experiment->models) {
    auto taken = take_url_from_environment(model);
    if (!taken && calls_models) return fail(taken.error());
  }
  config.experiment = std::move(*experiment);
  config.rank = end.rank;
  config.session = welcome.session;
  config.device = welcome.device;
  config.ranks_on_this_host = end.ranks_on_this_host;
  config.scratch_folder = scratch_folder;
  config.programs = [](const std::string& target) { return *find_target_programs(target); };
  return config;
}

// Until the coordinator's last word; nothing that is said meanwhile matters.
void await_farewell(Inbox& inbox) {
  while (auto message = inbox.next()) {
    if (std::holds_alternative<Farewell>(*message)) return;
  }
}

// Hands the coordinator's messages to the pipeline until there are no more for it. True when the
// last one was the farewell.
bool forward_messages(Inbox& inbox, Pipeline& pipeline) {
  while (auto message = inbox.next()) {
    if (std::holds_alternative<Farewell>(*message)) return true;
    const bool dismissed = std::holds_alternative<Dismissed>(*message);
    pipeline.deliver(std::move(*message));
    if (dismissed) return false;
  }
  return true;  // the link is closed
}

// From hello to the coordinator's farewell, or until it is dismissed.
Pipeline::End live(const RankEnd& end, int life, std::shared_ptr<const ApiKeys>& keys,
                   CoordinatorWatch& watch, Inbox& inbox) {
  const auto give_up = [&](const Error& error) {
    say_goodbye(end, describe(error));
    await_farewell(inbox);
    return Pipeline::End::kDrained;
  };
  end.send(encode_message(Hello{kVersion, kGitCommit, node_name(), find_visible_gpus()}));
  const auto welcome = await_welcome(inbox);
  if (!welcome) return give_up(welcome.error());
  auto scratch = make_rank_scratch(end.rank);
  if (!scratch) return give_up(scratch.error());
  auto config = make_config(end, *welcome, scratch->path(), keys);
  if (!config) return give_up(config.error());
  config->life = life;
  watch.set_silence(config->experiment.rank.silence_s);
  // On the heap, and left there when turns were abandoned: their threads still use it.
  auto pipeline = std::make_unique<Pipeline>(std::move(*config), end.send);
  bool farewell = false;
  std::thread forwarder([&] { farewell = forward_messages(inbox, *pipeline); });
  const Pipeline::End pipeline_end = pipeline->run();
  forwarder.join();
  if (pipeline_end != Pipeline::End::kDismissed && !farewell) await_farewell(inbox);
  if (pipeline_end == Pipeline::End::kAbandoned) static_cast<void>(pipeline.release());
  return pipeline_end;
}

}  // namespace

bool run_rank(const RankEnd& end) {
  CoordinatorWatch watch(
      RankSettings{}.silence_s, [&end] { end.send(encode_message(RankMessage(Heartbeat{}))); },
      end.coordinator_lost);
  Inbox inbox(end, watch);
  std::shared_ptr<const ApiKeys> keys = end.keys;
  for (int life = 0;; ++life) {
    const Pipeline::End pipeline_end = live(end, life, keys, watch, inbox);
    if (pipeline_end != Pipeline::End::kDismissed) return pipeline_end == Pipeline::End::kDrained;
    spdlog::warn("rank {} was silent for too long and begins afresh", end.rank);
  }
}

}  // namespace ptxbatch
