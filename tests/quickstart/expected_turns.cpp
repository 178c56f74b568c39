#include "tests/quickstart/expected_turns.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "results/results_file.h"
#include "tests/quickstart/command.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kFeedbackExcerpt = 600;

std::string text_of(const TurnKey& key) {
  const auto& [problem, trajectory, turn] = key;
  return problem + " " + trajectory + " turn " + std::to_string(turn);
}

std::string text_of(const Judgement& judgement) {
  return judgement.label + " (" + judgement.cause + "), target instruction " +
         judgement.target_instruction;
}

std::vector<std::string> split_at_commas(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

// Records by name instead of by index, from the plan that comes first.
class RunReader {
 public:
  Status take(Record&& record) {
    if (auto* experiment = std::get_if<ExperimentRecord>(&record); experiment != nullptr) {
      plan_ = std::move(experiment->trajectories);
    } else if (const auto* reply = std::get_if<ReplyRecord>(&record); reply != nullptr) {
      ++run.reply_records[key(reply->trajectory, reply->turn)];
    } else if (auto* turn = std::get_if<TurnRecord>(&record); turn != nullptr) {
      take_turn(std::move(*turn));
    }
    return {};
  }

  RunRecords run;

 private:
  TurnKey key(std::int32_t trajectory, int turn) const {
    const PlannedTrajectory& plan = plan_.at(static_cast<std::size_t>(trajectory));
    return {plan.problem, plan.id, turn};
  }

  void take_turn(TurnRecord turn) {
    const TurnKey where = key(turn.trajectory, turn.turn);
    ++run.turn_records[where];
    run.judgements[where] = {std::string(label_name(turn.label)), turn.cause,
                             std::string(target_instruction_name(turn.target_instruction))};
    run.feedback[where] = turn.feedback;
    run.turns.push_back(std::move(turn));
  }

  std::vector<PlannedTrajectory> plan_;
};

std::string multiples(const std::string& what, const std::map<TurnKey, int>& counts) {
  std::string text;
  for (const auto& [key, count] : counts) {
    if (count == 1) continue;
    text += text_of(key) + ": " + std::to_string(count) + " " + what + "\n";
  }
  return text;
}

}  // namespace

Judgements expected_judgements() {
  std::ifstream file(source_file("tests/quickstart/expected_turns.csv"));
  Judgements expected;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split_at_commas(line);
    if (fields.size() != 6) throw std::runtime_error("expected_turns.csv: " + line);
    expected[{fields[0], fields[1], std::stoi(fields[2])}] = {fields[3], fields[4], fields[5]};
  }
  return expected;
}

Judgements expected_judgements(const std::string& problem, int trajectories, int turns) {
  Judgements some;
  for (const auto& [key, judgement] : expected_judgements()) {
    const auto& [of_problem, trajectory, turn] = key;
    const int number = std::stoi(trajectory.substr(trajectory.find('_') + 1));
    if (of_problem == problem && number < trajectories && turn < turns) some[key] = judgement;
  }
  return some;
}

RunRecords read_run(const std::string& results) {
  RunReader reader;
  auto read =
      read_results_file(results, [&](Record&& record) { return reader.take(std::move(record)); });
  if (!read) throw std::runtime_error(describe(read.error()));
  return std::move(reader.run);
}

std::string differences(const Judgements& expected, const RunRecords& run) {
  std::string text;
  for (const auto& [key, judgement] : expected) {
    const auto found = run.judgements.find(key);
    if (found == run.judgements.end()) {
      text += text_of(key) + ": missing; expected " + text_of(judgement) + "\n";
    } else if (found->second != judgement) {
      text += text_of(key) + ": " + text_of(found->second) + "\n  expected " + text_of(judgement) +
              "\n  feedback: " + run.feedback.at(key).substr(0, kFeedbackExcerpt) + "\n";
    }
  }
  for (const auto& [key, judgement] : run.judgements) {
    if (expected.count(key) == 0) text += text_of(key) + ": not expected at all\n";
  }
  return text;
}

std::string duplicates(const RunRecords& run) {
  return multiples("turn records", run.turn_records) +
         multiples("reply records", run.reply_records);
}

}  // namespace ptxbatch
