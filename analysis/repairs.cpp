#include "analysis/repairs.h"

#include "results/own_failure.h"

namespace ptxbatch {
namespace {

void add_repairs(const RunRecords& run, std::size_t trajectory, std::vector<Repair>& repairs) {
  const TrajectoryRecords& records = run.trajectories[trajectory];
  for (std::size_t i = 1; i < records.turns.size(); ++i) {
    const TurnRecord& failed = records.turns[i - 1];
    const TurnRecord& correct = records.turns[i];
    if (correct.turn != failed.turn + 1 || correct.label != Label::kCorrect) continue;
    if (!is_own_failure(failed.label) || failed.source.empty()) continue;
    const ReplyRecord* reply = records.reply_to(correct.turn);
    repairs.push_back({&run.experiment, &run.experiment.trajectories[trajectory], &failed, &correct,
                       reply == nullptr ? "" : text_outside_code(reply->text)});
  }
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool is_fence(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  return start != std::string_view::npos && line.substr(start).starts_with("```");
}

}  // namespace

std::vector<Repair> find_repairs(std::span<const RunRecords> runs) {
  std::vector<Repair> repairs;
  for (const RunRecords& run : runs) {
    for (std::size_t i = 0; i < run.trajectories.size(); ++i) add_repairs(run, i, repairs);
  }
  return repairs;
}

std::string text_outside_code(std::string_view reply) {
  std::string text;
  bool in_code = false;
  bool blank_before = false;
  while (!reply.empty()) {
    const std::size_t end = reply.find('\n');
    const std::string_view line = reply.substr(0, end);
    reply = end == std::string_view::npos ? std::string_view() : reply.substr(end + 1);
    if (is_fence(line)) in_code = !in_code;
    if (in_code || is_fence(line) || is_blank(line)) {
      blank_before = !text.empty();
      continue;
    }
    if (!text.empty()) text += blank_before ? "\n\n" : "\n";
    text += line;
    blank_before = false;
  }
  return text;
}

}  // namespace ptxbatch
