#include "ranks/generate/recorded_client.h"

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/clock.h"
#include "common/file_system.h"

namespace ptxbatch {
namespace {

std::string trajectory_folder(const std::string& replies_folder,
                              const PlannedTrajectory& trajectory) {
  return replies_folder + "/" + trajectory.definition + "/" + trajectory.id;
}

std::string reply_path(const std::string& folder, int turn) {
  return folder + "/turn_" + std::to_string(turn) + ".md";
}

Error missing_reply(const std::string& path) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.what = "this recorded reply does not exist";
  error.hint = "A recorded model needs REPLIES/DEFINITION/exp_000/turn_0.md, turn_1.md and so on.";
  error.file = path;
  return error;
}

// The highest turn that has a reply, -1 when there is none.
int last_recorded_turn(const std::string& folder, int turns) {
  for (int turn = turns - 1; turn >= 0; --turn) {
    if (std::filesystem::exists(reply_path(folder, turn))) return turn;
  }
  return -1;
}

ReplyEnd reply_end_from(const std::string& name) {
  if (name == "truncated") return ReplyEnd::kTruncated;
  if (name == "context_exhausted") return ReplyEnd::kContextExhausted;
  if (name == "refused") return ReplyEnd::kRefused;
  if (name == "complete") return ReplyEnd::kComplete;
  throw std::invalid_argument("'end' is '" + name +
                              "'; expected complete, truncated, context_exhausted or refused");
}

Status read_metadata(const std::string& path, ReplyRecord& reply) {
  if (!std::filesystem::exists(path)) return {};
  auto text = read_text(path);
  if (!text) return fail(text.error());
  try {
    const auto data = nlohmann::json::parse(*text);
    reply.latency_s = data.value("latency_s", 0.0);
    reply.prompt_tokens = data.value("prompt_tokens", std::int64_t{0});
    reply.completion_tokens = data.value("completion_tokens", std::int64_t{0});
    reply.reasoning_tokens = data.value("reasoning_tokens", std::int64_t{0});
    reply.cached_tokens = data.value("cached_tokens", std::int64_t{0});
    reply.reasoning = data.value("reasoning", std::string());
    reply.model_returned = data.value("model", std::string());
    reply.response_id = data.value("response_id", std::string());
    reply.end = reply_end_from(data.value("end", std::string("complete")));
  } catch (const std::exception& error) {
    Error wrong{ErrorKind::kInput,
                error.what(),
                "Correct the file, or remove it: it is optional.",
                path,
                0,
                0,
                {}};
    return fail(std::move(wrong));
  }
  return {};
}

class RecordedClient final : public ModelClient {
 public:
  RecordedClient(ModelSpec model, double timeout_s)
      : model_(std::move(model)), timeout_s_(timeout_s), thread_([this] { serve(); }) {}

  ~RecordedClient() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void submit(ModelRequest request, Done done) override {
    auto reply = read_recorded_reply(model_.replies_folder, request.trajectory, request.turn);
    double delay_s = 0;
    if (reply && !reply->end_without_reply)
      delay_s = reply->reply.latency_s * model_.replay_latency;
    if (delay_s > timeout_s_) {
      delay_s = timeout_s_;
      reply = fail(timed_out());
    }
    ModelResult result = std::move(reply).map_error([](Error error) {
      return ModelFailure{ModelFailure::Kind::kRequest, "recorded_reply", std::move(error)};
    });
    {
      const std::lock_guard lock(mutex_);
      waiting_.emplace(deadline_in(delay_s), Waiting{std::move(result), std::move(done)});
    }
    changed_.notify_all();
  }
  [[nodiscard]] bool paid() const override { return false; }

 private:
  struct Waiting {
    ModelResult reply;
    Done done;
  };

  [[nodiscard]] Error timed_out() const {
    return {ErrorKind::kSystem,
            "the model '" + model_.name + "' gave no reply within its time",
            "Raise budgets.generate_s, or lower the model's replay_latency.",
            {},
            0,
            0,
            {}};
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (waiting_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const Deadline due = waiting_.begin()->first;
      if (SteadyClock::now() < due) {
        changed_.wait_until(lock, due);
        continue;
      }
      Waiting next = std::move(waiting_.extract(waiting_.begin()).mapped());
      lock.unlock();
      next.done(std::move(next.reply));
      lock.lock();
    }
  }

  ModelSpec model_;
  double timeout_s_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Deadline, Waiting> waiting_;  // by the time at which the reply is due
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace

Result<ModelReply> read_recorded_reply(const std::string& replies_folder,
                                       const PlannedTrajectory& trajectory, int turn) {
  const std::string folder = trajectory_folder(replies_folder, trajectory);
  const std::string path = reply_path(folder, turn);
  ModelReply result;
  if (!std::filesystem::exists(path)) {
    constexpr int kTurnsLookedAhead = 64;
    const int last = last_recorded_turn(folder, turn + kTurnsLookedAhead);
    if (last < 0 || last > turn) return fail(missing_reply(path));
    result.end_without_reply = TrajectoryEnd::kRepliesExhausted;
    return result;
  }
  auto text = read_text(path);
  if (!text) return fail(text.error());
  result.reply.text = std::move(*text);
  const std::string metadata = path.substr(0, path.size() - 3) + ".json";
  if (auto read = read_metadata(metadata, result.reply); !read) return fail(read.error());
  return result;
}

Status check_recorded_replies(const std::string& replies_folder,
                              const PlannedTrajectory& trajectory, int turns) {
  const std::string folder = trajectory_folder(replies_folder, trajectory);
  const int last = last_recorded_turn(folder, turns);
  for (int turn = 0; turn <= std::max(last, 0); ++turn) {
    const std::string path = reply_path(folder, turn);
    if (!std::filesystem::exists(path)) return fail(missing_reply(path));
  }
  return {};
}

std::unique_ptr<ModelClient> make_recorded_client(const ModelSpec& model, double timeout_s) {
  return std::make_unique<RecordedClient>(model, timeout_s);
}

}  // namespace ptxbatch
