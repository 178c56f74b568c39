// What a model was given, from a results file: prompts are stored once each, by hash.
#include <spdlog/fmt/fmt.h>

#include "analysis/record_json.h"
#include "analysis/sheet.h"
#include "analysis/show.h"
#include "analysis/show_text.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kBytesPerToken = 4;  // a usual estimate for English and code

std::string size_text(std::size_t bytes) {
  return fmt::format("{} bytes, about {} tokens", bytes, bytes / kBytesPerToken);
}

const std::string* prompt_of(const RunRecords& run, const TrajectoryRecords& records) {
  if (records.replies.empty()) return nullptr;
  const auto found = run.prompts.find(records.replies.front().prompt_sha256);
  return found == run.prompts.end() ? nullptr : &found->second;
}

Error not_given(const RunRecords& run, std::int32_t trajectory) {
  return {ErrorKind::kUsage,
          fmt::format("{} does not hold what trajectory {} was given", run.path, trajectory),
          "A trajectory's prompt is kept with its first reply, and published turns have none.",
          run.path,
          0,
          0,
          {}};
}

// Each line as it is, without what would command a terminal.
std::string text_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    for (std::size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t')) {
      line.replace(tab, 1, "    ");
    }
    result += printable(line) + "\n";
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return result;
}

}  // namespace

std::string show_prompts(const RunRecords& run, std::size_t width) {
  struct Use {
    std::size_t first = 0;
    std::size_t trajectories = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Use> uses;
  for (std::size_t i = 0; i < run.trajectories.size(); ++i) {
    if (prompt_of(run, run.trajectories[i]) == nullptr) continue;
    const std::string& sha256 = run.trajectories[i].replies.front().prompt_sha256;
    const auto [use, is_new] = uses.try_emplace(sha256, Use{i, 0});
    if (is_new) order.push_back(sha256);
    ++use->second.trajectories;
  }
  Sheet sheet;
  sheet.title = fmt::format("{}: {} prompts", run.experiment.name, order.size());
  sheet.header = {"SHA-256", "Target", "Problem", "Prompt", "First", "Trajectories", "Bytes"};
  sheet.name_columns = 4;
  for (const std::string& sha256 : order) {
    const Use& use = uses.at(sha256);
    const PlannedTrajectory& planned = run.experiment.trajectories[use.first];
    sheet.rows.push_back({sha256.substr(0, 12), planned.target, planned.problem, planned.prompt_tag,
                          std::to_string(planned.index), std::to_string(use.trajectories),
                          std::to_string(run.prompts.at(sha256).size())});
  }
  sheet.notes.push_back(fmt::format("ptxbatch show --prompt {} FIRST prints one.", run.path));
  return render_terminal(sheet, width);
}

Result<std::string> given_messages(const RunRecords& run, std::int32_t trajectory,
                                   std::optional<std::int32_t> turn) {
  const TrajectoryRecords& records = run.trajectories.at(static_cast<std::size_t>(trajectory));
  const std::string* prompt = prompt_of(run, records);
  if (prompt == nullptr) return fail(not_given(run, trajectory));
  if (!turn) return *prompt;
  const auto turns = static_cast<std::int32_t>(records.turns.size());
  if (*turn < 0 || *turn > turns) {
    return fail(ErrorKind::kUsage, fmt::format("trajectory {} has no turn {}", trajectory, *turn),
                fmt::format("What was given can be shown for turns 0 to {}.", turns));
  }
  auto messages = ordered_json::parse(*prompt, nullptr, /*allow_exceptions=*/false);
  if (!messages.is_array()) return fail(not_given(run, trajectory));
  for (const TurnRecord& one : records.turns) {
    if (one.turn >= *turn) break;
    const ReplyRecord* reply = records.reply_to(one.turn);
    messages.push_back(
        {{"role", "assistant"}, {"content", reply == nullptr ? "" : repair_utf8(reply->text)}});
    messages.push_back({{"role", "user"}, {"content", repair_utf8(one.feedback)}});
  }
  return messages.dump();
}

Result<std::string> show_messages(const std::string& messages_json, std::size_t width) {
  const auto messages = ordered_json::parse(messages_json, nullptr, /*allow_exceptions=*/false);
  if (!messages.is_array()) return fail(ErrorKind::kInput, "the prompt is not a list of messages");
  std::string text;
  for (const auto& message : messages) {
    const std::string role = message.value("role", "");
    const std::string content = message.value("content", "");
    text += section_rule(role + ": " + size_text(content.size()), width) + text_lines(content);
  }
  return text;
}

}  // namespace ptxbatch
