#include "results/unknown_turns.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/csv.h"
#include "common/return_if_error.h"

namespace ptxbatch {
namespace {

enum Column : std::size_t { kRun, kLimit, kTrajectories, kSolved, kCorrect, kUnknown };

constexpr std::int64_t kMost = 1'000'000'000;

// What the file says of a run's turns below a limit.
struct Counts {
  std::int64_t solved = 0;  // trajectories with a correct turn that has the target instruction
  std::int64_t unknown = 0;
  std::size_t row = 0;  // of the file
};
using CountsByLimit = std::map<std::int64_t, Counts>;

struct Candidate {
  std::int32_t turn = 0;
  std::size_t trajectory = 0;  // its place in the run
  PublishedTurn* of = nullptr;
};

bool has_target(const PublishedTurn& turn) {
  return turn.target_instruction == TargetInstruction::kPresent;
}

std::int64_t count_with_target(const PublishedTrajectory& trajectory, std::int64_t limit) {
  return std::count_if(
      trajectory.turns.begin(), trajectory.turns.end(),
      [&](const PublishedTurn& turn) { return turn.turn < limit && has_target(turn); });
}

std::int64_t count_solved(const PublishedRun& run, std::int64_t limit) {
  return std::count_if(
      run.trajectories.begin(), run.trajectories.end(),
      [&](const PublishedTrajectory& of) { return count_with_target(of, limit) > 0; });
}

std::int64_t count_correct(const PublishedRun& run, std::int64_t limit) {
  std::int64_t count = 0;
  for (const PublishedTrajectory& trajectory : run.trajectories) {
    for (const PublishedTurn& turn : trajectory.turns) {
      if (turn.turn < limit && turn.label == Label::kCorrect) ++count;
    }
  }
  return count;
}

// Turns from `first` up to `limit` that could be unknown, the last first.
std::vector<Candidate> candidates(PublishedRun& run, std::int64_t first, std::int64_t limit) {
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < run.trajectories.size(); ++i) {
    for (PublishedTurn& turn : run.trajectories[i].turns) {
      if (turn.turn >= first && turn.turn < limit && has_target(turn)) {
        found.push_back({turn.turn, i, &turn});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.turn, a.trajectory) > std::tie(b.turn, b.trajectory);
  });
  return found;
}

// Marks one more turn: one that leaves its trajectory with nothing when the file has fewer solved
// trajectories than the turns, else one that does not. False when there is none.
bool mark_one(PublishedRun& run, std::int64_t first, std::int64_t limit, std::int64_t solved) {
  const bool must_lose = count_solved(run, limit) > solved;
  for (const Candidate& candidate : candidates(run, first, limit)) {
    const bool loses = count_with_target(run.trajectories[candidate.trajectory], limit) == 1;
    if (loses != must_lose) continue;
    candidate.of->target_instruction = TargetInstruction::kUnknown;
    return true;
  }
  return false;
}

void mark_run(PublishedRun& run, const CountsByLimit& by_limit, std::vector<std::string>& open) {
  std::int64_t first = 0;
  std::int64_t marked = 0;
  for (const auto& [limit, counts] : by_limit) {
    while (marked < counts.unknown && mark_one(run, first, limit, counts.solved)) ++marked;
    const std::string where = run.name + ", first " + std::to_string(limit) + " turns: ";
    if (marked < counts.unknown) {
      open.push_back(where + "no choice of " + std::to_string(counts.unknown) +
                     " unknown turns agrees with the counts");
      marked = counts.unknown;
    }
    if (const auto solved = count_solved(run, limit); solved != counts.solved) {
      open.push_back(where + std::to_string(solved) +
                     " trajectories have a correct turn with the target instruction; the counts "
                     "say " +
                     std::to_string(counts.solved));
    }
    first = limit;
  }
}

PublishedRun* find_run(std::vector<PublishedRun>& runs, const std::string& name) {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const PublishedRun& run) { return run.name == name; });
  return found == runs.end() ? nullptr : &*found;
}

Status check_equal(const CsvFile& csv, std::size_t row, Column column, std::int64_t actual,
                   const std::string& what) {
  const auto stated = csv.integer(row, column, 0, kMost);
  if (!stated) return fail(stated.error());
  if (*stated == actual) return {};
  return fail(csv.error(row, column,
                        "is " + std::to_string(*stated) + ", but the turns have " +
                            std::to_string(actual) + " " + what,
                        "The two files must be of the same results."));
}

Status read_row(const CsvFile& csv, std::size_t row, std::vector<PublishedRun>& runs,
                std::map<PublishedRun*, CountsByLimit>& all) {
  PublishedRun* run = find_run(runs, csv.text(row, kRun));
  if (run == nullptr) {
    return fail(csv.error(row, kRun, "is '" + csv.text(row, kRun) + "', which the turns have not",
                          "The two files must be of the same results."));
  }
  const auto limit = csv.integer(row, kLimit, 1, kMost);
  if (!limit) return fail(limit.error());
  const auto solved = csv.integer(row, kSolved, 0, kMost);
  if (!solved) return fail(solved.error());
  const auto unknown = csv.integer(row, kUnknown, 0, kMost);
  if (!unknown) return fail(unknown.error());
  PTXBATCH_RETURN_IF_ERROR(check_equal(csv, row, kTrajectories,
                                       static_cast<std::int64_t>(run->trajectories.size()),
                                       "trajectories"));
  PTXBATCH_RETURN_IF_ERROR(
      check_equal(csv, row, kCorrect, count_correct(*run, *limit), "correct turns"));
  if (!all[run].try_emplace(*limit, Counts{*solved, *unknown, row}).second) {
    return fail(csv.error(
        row, kLimit,
        "has the limit " + std::to_string(*limit) + " of run " + run->name + " a second time"));
  }
  return {};
}

Status check_ascending(const CsvFile& csv, const CountsByLimit& by_limit) {
  std::int64_t before = 0;
  for (const auto& [limit, counts] : by_limit) {
    if (counts.unknown < before) {
      return fail(csv.error(counts.row, kUnknown, "is less than at a lower turn limit"));
    }
    before = counts.unknown;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> mark_unknown_turns(const std::string& path,
                                                    std::vector<PublishedRun>& runs) {
  const auto csv = CsvFile::read(
      path, {"run", "turn_limit", "n_trajectories", "trajectories_correct_with_target",
             "correct_turns", "unknown_correct_turns"});
  if (!csv) return fail(csv.error());
  std::map<PublishedRun*, CountsByLimit> all;
  for (std::size_t row = 0; row < csv->size(); ++row) {
    PTXBATCH_RETURN_IF_ERROR(read_row(*csv, row, runs, all));
  }
  std::vector<std::string> open;
  for (PublishedRun& run : runs) {
    const auto found = all.find(&run);
    if (found == all.end()) continue;
    PTXBATCH_RETURN_IF_ERROR(check_ascending(*csv, found->second));
    mark_run(run, found->second, open);
  }
  return open;
}

}  // namespace ptxbatch
