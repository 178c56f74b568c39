#include "analysis/run_records.h"

#include <algorithm>
#include <utility>

#include "common/return_if_error.h"
#include "results/results_file.h"

namespace ptxbatch {
namespace {

std::uint64_t size_of(const ReplyRecord& reply) {
  return reply.text.size() + reply.reasoning.size();
}

std::uint64_t size_of(const TurnRecord& turn) {
  std::uint64_t size = turn.source.size() + turn.feedback.size() + turn.compiler_output.size();
  for (const InstructionRecord& instruction : turn.instructions) {
    size += instruction.text.size() + 60;
  }
  for (const TimingRecord& timing : turn.timings) size += 8 * timing.samples_ms.size() + 40;
  return size;
}

void drop_details(ReplyRecord& reply) {
  reply.text = {};
  reply.reasoning = {};
}

void drop_details(TurnRecord& turn) {
  turn.source = {};
  turn.feedback = {};
  turn.compiler_output = {};
  turn.instructions = {};
  turn.timings = {};
}

class Collector {
 public:
  Collector(RunRecords& run, const RunReadOptions& options) : run_(run), options_(options) {}

  Status operator()(ExperimentRecord&& record) {
    run_.experiment = std::move(record);
    run_.trajectories.resize(run_.experiment.trajectories.size());
    return {};
  }
  Status operator()(EnvironmentRecord&& record) {
    run_.environments.push_back(std::move(record));
    return {};
  }
  Status operator()(PromptRecord&& record) {
    run_.prompts.emplace(std::move(record.sha256), std::move(record.text));
    return {};
  }
  Status operator()(EventRecord&& record) {
    run_.events.push_back(std::move(record));
    return {};
  }
  Status operator()(ReplyRecord&& record) {
    return add(std::move(record), &TrajectoryRecords::replies);
  }
  Status operator()(RequestRecord&& /*record*/) { return {}; }
  Status operator()(TurnRecord&& record) {
    return add(std::move(record), &TrajectoryRecords::turns);
  }
  Status operator()(TrajectoryEndRecord&& record) {
    auto place = place_of(record.trajectory);
    if (!place) return fail(place.error());
    (*place)->end = std::move(record);
    return {};
  }

 private:
  Result<TrajectoryRecords*> place_of(std::int32_t trajectory) {
    if (trajectory < 0 || trajectory >= static_cast<std::int32_t>(run_.trajectories.size())) {
      Error error{
          ErrorKind::kInput,
          "a record is of trajectory " + std::to_string(trajectory) + ", which the plan has not",
          {},
          run_.path,
          0,
          0,
          {}};
      return fail(std::move(error));
    }
    return &run_.trajectories[static_cast<std::size_t>(trajectory)];
  }

  template <class Record>
  Status add(Record&& record, std::vector<std::decay_t<Record>> TrajectoryRecords::*where) {
    const std::int32_t trajectory = record.trajectory;
    if (options_.only_trajectory && *options_.only_trajectory != trajectory) return {};
    auto place = place_of(trajectory);
    if (!place) return fail(place.error());
    TrajectoryRecords& to = **place;
    used_bytes_ += to.without_details ? 0 : size_of(record);
    if (used_bytes_ > options_.detail_bytes && !to.without_details) strip(to);
    if (to.without_details) drop_details(record);
    (to.*where).push_back(std::forward<Record>(record));
    return {};
  }

  // A trajectory is kept whole or not at all.
  static void strip(TrajectoryRecords& trajectory) {
    trajectory.without_details = true;
    for (ReplyRecord& reply : trajectory.replies) drop_details(reply);
    for (TurnRecord& turn : trajectory.turns) drop_details(turn);
  }

  RunRecords& run_;
  const RunReadOptions& options_;
  std::uint64_t used_bytes_ = 0;
};

}  // namespace

const ReplyRecord* TrajectoryRecords::reply_to(std::int32_t turn) const {
  const auto found = std::find_if(replies.begin(), replies.end(),
                                  [turn](const ReplyRecord& reply) { return reply.turn == turn; });
  return found == replies.end() ? nullptr : &*found;
}

Result<RunRecords> read_run(const std::string& path, const RunReadOptions& options) {
  RunRecords run;
  run.path = path;
  Collector collector(run, options);
  auto read = read_results_file(path, [&collector](Record&& record) {
    return std::visit(
        [&collector](auto&& one) { return collector(std::forward<decltype(one)>(one)); },
        std::move(record));
  });
  if (!read) return fail(read.error());
  const auto by_turn = [](const auto& one, const auto& other) { return one.turn < other.turn; };
  for (TrajectoryRecords& trajectory : run.trajectories) {
    std::stable_sort(trajectory.replies.begin(), trajectory.replies.end(), by_turn);
    std::stable_sort(trajectory.turns.begin(), trajectory.turns.end(), by_turn);
  }
  return run;
}

}  // namespace ptxbatch
