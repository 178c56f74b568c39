#include "results/published_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "common/hash.h"
#include "common/return_if_error.h"
#include "common/version.h"
#include "results/published_turns.h"
#include "results/results_file.h"
#include "results/unknown_turns.h"

namespace ptxbatch {
namespace {

using Visit = std::function<Status(Record&&)>;

// All that is read, before anything is written.
struct Published {
  std::string experiment_text;
  PublishedExperiment experiment;
  std::vector<PublishedRun> runs;
  std::vector<EventRecord> events;
  ImportSummary summary;
};

// Runs are told apart in tables by model, target and problem alone.
Status rename_models(Published& published, const std::string& experiment_file) {
  std::map<std::tuple<std::string, std::string, std::string>, std::string> seen;
  for (PublishedRun& run : published.runs) {
    const auto renamed = published.experiment.models.find(run.name);
    if (renamed != published.experiment.models.end()) run.model = renamed->second;
    const auto [entry, is_new] =
        seen.try_emplace({run.model, run.target, run.definition}, run.name);
    if (is_new) continue;
    return fail(Error{ErrorKind::kInput,
                      fmt::format("the runs {} and {} are both {} on {} with {}", entry->second,
                                  run.name, run.model, run.target, run.definition),
                      "Give one of them another name in a [[models]] table.", experiment_file, 0, 0,
                      "models"});
  }
  return {};
}

Status note_source(Published& published, const std::string& path) {
  auto text = read_text(path);
  if (!text) return fail(text.error());
  EventRecord event;
  event.kind = "imported";
  event.message = fmt::format("{}, SHA-256 {}", std::filesystem::path(path).filename().string(),
                              sha256_hex(*text));
  published.events.push_back(std::move(event));
  return {};
}

void note_open(Published& published, const std::string& sentence) {
  EventRecord event;
  event.kind = "unknown_turns";
  event.message = sentence;
  published.events.push_back(std::move(event));
  published.summary.notes.push_back(sentence);
}

// Its place among the problems; behind them when it is none of them.
std::size_t problem_place(const PublishedExperiment& experiment, const std::string& definition) {
  const auto& problems = experiment.problems;
  const auto found = std::find_if(
      problems.begin(), problems.end(),
      [&](const PublishedProblem& problem) { return problem.definition == definition; });
  return static_cast<std::size_t>(found - problems.begin());
}

// Models and targets as the file first names them, their problems in the experiment's order.
void sort_runs(Published& published) {
  std::map<std::pair<std::string, std::string>, std::size_t> groups;
  const auto place = [&](const PublishedRun& run) {
    const auto next = groups.size();
    return std::pair(groups.try_emplace({run.model, run.target}, next).first->second,
                     problem_place(published.experiment, run.definition));
  };
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, PublishedRun>> placed;
  for (PublishedRun& run : published.runs) {
    const auto of_run = place(run);
    placed.emplace_back(of_run, std::move(run));
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < placed.size(); ++i) published.runs[i] = std::move(placed[i].second);
}

Status read_turns(const PublishedImport& import, Published& published) {
  auto runs = read_published_turns(import.turns, published.experiment);
  if (!runs) return fail(runs.error());
  published.runs = std::move(*runs);
  PTXBATCH_RETURN_IF_ERROR(note_source(published, import.turns));
  if (import.unknown_turns) {
    const auto open = mark_unknown_turns(*import.unknown_turns, published.runs);
    if (!open) return fail(open.error());
    PTXBATCH_RETURN_IF_ERROR(note_source(published, *import.unknown_turns));
    for (const std::string& sentence : *open) note_open(published, sentence);
  }
  PTXBATCH_RETURN_IF_ERROR(rename_models(published, import.experiment));
  sort_runs(published);
  return {};
}

PlannedTrajectory plan(const PublishedExperiment& experiment, const PublishedRun& run,
                       const PublishedTrajectory& trajectory) {
  PlannedTrajectory planned;
  planned.id = fmt::format("exp_{:03}", trajectory.number);
  planned.model = run.model;
  planned.target = run.target;
  const std::size_t problem = problem_place(experiment, run.definition);
  planned.problem =
      problem < experiment.problems.size() ? experiment.problems[problem].name : run.definition;
  planned.definition = run.definition;
  planned.workload = run.workload;
  planned.prompt_block = trajectory.number / experiment.block_size;
  planned.prompt_tag = fmt::format("block {}", planned.prompt_block);
  planned.replica = trajectory.number % experiment.block_size;
  return planned;
}

ExperimentRecord experiment_record(const Published& published) {
  ExperimentRecord record;
  record.name = published.experiment.name;
  record.text = published.experiment_text;
  record.program_version = kVersion;
  record.git_commit = kGitCommit;
  record.turns = published.experiment.turns;
  record.target_speedup = published.experiment.target_speedup;
  for (const PublishedRun& run : published.runs) {
    for (const PublishedTrajectory& trajectory : run.trajectories) {
      PlannedTrajectory planned = plan(published.experiment, run, trajectory);
      planned.index = static_cast<std::int32_t>(record.trajectories.size());
      record.trajectories.push_back(std::move(planned));
    }
  }
  return record;
}

// A target's place in the experiment stands for the rank that used it.
std::int32_t rank_of(const PublishedExperiment& experiment, const std::string& target) {
  std::int32_t rank = 0;
  while (experiment.targets[static_cast<std::size_t>(rank)].name != target) ++rank;
  return rank;
}

Status give_environments(const PublishedExperiment& experiment, const Visit& visit) {
  for (const PublishedTarget& target : experiment.targets) {
    EnvironmentRecord environment;
    environment.rank = rank_of(experiment, target.name);
    environment.target = target.name;
    environment.device_name = target.device;
    PTXBATCH_RETURN_IF_ERROR(visit(std::move(environment)));
  }
  return {};
}

TurnRecord turn_record(const PublishedTurn& turn) {
  TurnRecord record;
  record.turn = turn.turn;
  record.label = turn.label;
  record.speedup = turn.speedup;
  record.target_instruction = turn.target_instruction;
  record.reasoning_tokens = turn.reasoning_tokens;
  return record;
}

TrajectoryEndRecord end_record(const PublishedExperiment& experiment,
                               const PublishedTrajectory& trajectory) {
  TrajectoryEndRecord end;
  if (std::int32_t(trajectory.turns.size()) < experiment.turns) {
    end.message = fmt::format("{} turns are published; why there is no further one is not",
                              trajectory.turns.size());
  }
  return end;
}

Status give_turns(const Published& published, const Visit& visit) {
  std::int32_t index = 0;
  for (const PublishedRun& run : published.runs) {
    const std::int32_t rank = rank_of(published.experiment, run.target);
    for (const PublishedTrajectory& trajectory : run.trajectories) {
      for (const PublishedTurn& turn : trajectory.turns) {
        ReplyRecord reply;  // every turn has one; its text is not published
        reply.trajectory = index;
        reply.turn = turn.turn;
        reply.reasoning_tokens = turn.reasoning_tokens;
        PTXBATCH_RETURN_IF_ERROR(visit(std::move(reply)));
        TurnRecord record = turn_record(turn);
        record.trajectory = index;
        record.rank = rank;
        PTXBATCH_RETURN_IF_ERROR(visit(std::move(record)));
      }
      TrajectoryEndRecord end = end_record(published.experiment, trajectory);
      end.trajectory = index++;
      PTXBATCH_RETURN_IF_ERROR(visit(std::move(end)));
    }
  }
  return {};
}

Status give_records(const Published& published, const Visit& visit) {
  PTXBATCH_RETURN_IF_ERROR(visit(experiment_record(published)));
  PTXBATCH_RETURN_IF_ERROR(give_environments(published.experiment, visit));
  for (EventRecord event : published.events) {
    PTXBATCH_RETURN_IF_ERROR(visit(std::move(event)));
  }
  return give_turns(published, visit);
}

void count(Published& published) {
  published.summary.runs = published.runs.size();
  for (const PublishedRun& run : published.runs) {
    published.summary.trajectories += run.trajectories.size();
    for (const auto& trajectory : run.trajectories) {
      published.summary.turns += trajectory.turns.size();
    }
  }
}

}  // namespace

tl::expected<ImportSummary, std::vector<Error>> import_published(FileSystem& files,
                                                                 const PublishedImport& import) {
  const auto failed = [](Error error) { return tl::unexpected(std::vector{std::move(error)}); };
  Published published;
  auto text = read_text(import.experiment);
  if (!text) return failed(text.error());
  published.experiment_text = std::move(*text);
  auto experiment = parse_published_experiment(published.experiment_text, import.experiment);
  if (!experiment) return tl::unexpected(experiment.error());
  published.experiment = std::move(*experiment);
  if (auto read = read_turns(import, published); !read) return failed(read.error());
  count(published);
  const auto source = [&](const Visit& visit) { return give_records(published, visit); };
  if (auto written = write_results_file(files, import.output, source, true); !written) {
    return failed(written.error());
  }
  return std::move(published.summary);
}

}  // namespace ptxbatch
