#include "analysis/export.h"
#include "analysis/record_json.h"

namespace ptxbatch {
namespace {

using nlohmann::ordered_json;

// The system and user messages that a trajectory began with.
ordered_json first_messages(const RunRecords& run, const TrajectoryRecords& records) {
  if (records.replies.empty()) return ordered_json::array();
  const auto prompt = run.prompts.find(records.replies.front().prompt_sha256);
  if (prompt == run.prompts.end()) return ordered_json::array();
  auto messages = ordered_json::parse(prompt->second, nullptr, /*allow_exceptions=*/false);
  return messages.is_array() ? messages : ordered_json::array();
}

ordered_json assistant_message(const ReplyRecord& reply) {
  ordered_json message = {{"role", "assistant"}, {"content", repair_utf8(reply.text)}};
  if (!reply.reasoning.empty()) message["reasoning_content"] = repair_utf8(reply.reasoning);
  return message;
}

ordered_json outcome(const TurnRecord& turn) {
  return {{"turn", turn.turn},
          {"label", enum_name(turn.label)},
          {"cause", repair_utf8(turn.cause)},
          {"speedup", rounded_number(turn.speedup)},
          {"paired_speedup", rounded_number(turn.paired_speedup)},
          {"target_instruction", enum_name(turn.target_instruction)},
          {"flop_coverage", rounded_number(turn.flop_coverage)},
          {"reasoning_tokens", turn.reasoning_tokens}};
}

ordered_json chat(const RunRecords& run, const PlannedTrajectory& planned,
                  const TrajectoryRecords& records) {
  ordered_json messages = first_messages(run, records);
  auto turns = ordered_json::array();
  for (const TurnRecord& turn : records.turns) {
    if (const ReplyRecord* reply = records.reply_to(turn.turn)) {
      messages.push_back(assistant_message(*reply));
    }
    turns.push_back(outcome(turn));
    if (&turn == &records.turns.back()) continue;
    messages.push_back({{"role", "user"}, {"content", repair_utf8(turn.feedback)}});
  }
  ordered_json line = {{"messages", std::move(messages)},
                       {"experiment", repair_utf8(run.experiment.name)},
                       {"plan", record_json(planned)},
                       {"turns", std::move(turns)}};
  if (records.end) line["end"] = enum_name(records.end->end);
  return line;
}

}  // namespace

std::string export_chats(std::span<const RunRecords> runs) {
  std::string lines;
  for (const RunRecords& run : runs) {
    for (std::size_t i = 0; i < run.trajectories.size(); ++i) {
      if (run.trajectories[i].turns.empty()) continue;
      lines += chat(run, run.experiment.trajectories[i], run.trajectories[i])
                   .dump(-1, ' ', false, ordered_json::error_handler_t::replace) +
               '\n';
    }
  }
  return lines;
}

}  // namespace ptxbatch
