#include "orchestrator/experiment_file.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "common/file_system.h"
#include "common/toml_table.h"
#include "orchestrator/installation.h"
#include "orchestrator/plan.h"
#include "ranks/generate/recorded_client.h"
#include "ranks/problems/operators.h"
#include "ranks/prompt/prompt.h"

namespace ptxbatch {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::max();
constexpr double kDayS = 86400;

std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::absolute(file).parent_path() / path).lexically_normal().string();
}

ModelSpec read_model(TomlTable table, const std::string& file) {
  ModelSpec model;
  model.line = table.line();
  model.name = table.required_string("name");
  model.provider = table.choice("provider", "recorded", {"recorded"});
  model.replies_folder = beside(file, table.required_string("replies"));
  model.replay_latency = table.number("replay_latency", 0, 0, kNoLimit);
  table.reject_unknown_keys();
  return model;
}

TargetSpec read_target(TomlTable table, const std::string& file) {
  TargetSpec target;
  target.line = table.line();
  target.name = table.required_string("name");
  if (!target.name.empty()) {
    target.name = table.choice("name", "host", {"host", "hopper", "blackwell"});
  }
  const std::string pack = table.string("pack");
  target.pack_folder = pack.empty() ? knowledge_pack_folder(target.name) : beside(file, pack);
  target.compiler = table.string("compiler");
  table.reject_unknown_keys();
  return target;
}

ProblemSpec read_problem(TomlTable table, const std::string& folder) {
  ProblemSpec spec;
  spec.line = table.line();
  spec.name = table.required_string("name");
  const std::string definition = table.required_string("definition");
  const std::string workload = table.required_string("workload");
  table.reject_unknown_keys();
  if (definition.empty() || workload.empty()) return spec;
  auto problem = load_problem(folder, definition, workload);
  if (problem) {
    spec.problem = std::move(*problem);
  } else {
    table.error("definition", "'" + definition + "' cannot be used: " + describe(problem.error()));
  }
  return spec;
}

PromptSpec read_prompt(TomlTable table) {
  PromptSpec prompt;
  prompt.line = table.line();
  prompt.tag = table.required_string("tag");
  prompt.guidance = table.string_lists("guidance");
  table.reject_unknown_keys();
  const std::vector<std::string> op_types = known_op_types();
  for (const auto& [op_type, names] : prompt.guidance) {
    if (std::find(op_types.begin(), op_types.end(), op_type) != op_types.end()) continue;
    std::string known;
    for (const std::string& name : op_types) known += (known.empty() ? "" : ", ") + name;
    table.error("guidance", "'" + op_type + "' is not an operator type", "Known: " + known + ".");
  }
  return prompt;
}

ProtocolSettings read_protocol(TomlTable table) {
  ProtocolSettings protocol;
  protocol.turns = static_cast<int>(table.integer("turns", protocol.turns, 1, 1000));
  protocol.target_speedup = table.number("target_speedup", protocol.target_speedup, 0, kNoLimit);
  protocol.trials = static_cast<int>(table.integer("trials", protocol.trials, 0, 100));
  protocol.warmups = static_cast<int>(table.integer("warmups", protocol.warmups, 0, 10000));
  protocol.iterations =
      static_cast<int>(table.integer("iterations", protocol.iterations, 1, 10000));
  protocol.pair_blocks =
      static_cast<int>(table.integer("pair_blocks", protocol.pair_blocks, 1, 1000));
  protocol.abs_tolerance = table.number("abs_tolerance", protocol.abs_tolerance, 0, kNoLimit);
  protocol.rel_tolerance = table.number("rel_tolerance", protocol.rel_tolerance, 0, kNoLimit);
  protocol.input_seed = static_cast<std::uint64_t>(
      table.integer("input_seed", static_cast<std::int64_t>(protocol.input_seed), 0,
                    std::numeric_limits<std::int64_t>::max()));
  protocol.speedup = table.choice("speedup", protocol.speedup, {"paper", "paired"});
  table.reject_unknown_keys();
  return protocol;
}

StageBudgets read_budgets(TomlTable table) {
  StageBudgets budgets;
  constexpr double kLeastS = 0.1;
  budgets.generate_s = table.number("generate_s", budgets.generate_s, kLeastS, kDayS);
  budgets.compile_s = table.number("compile_s", budgets.compile_s, kLeastS, kDayS);
  budgets.sanitize_s = table.number("sanitize_s", budgets.sanitize_s, kLeastS, kDayS);
  budgets.evaluate_s = table.number("evaluate_s", budgets.evaluate_s, kLeastS, kDayS);
  budgets.evidence_s = table.number("evidence_s", budgets.evidence_s, kLeastS, kDayS);
  table.reject_unknown_keys();
  return budgets;
}

RankSettings read_rank(TomlTable table) {
  RankSettings rank;
  rank.generating = static_cast<int>(table.integer("generating", rank.generating, 1, 100000));
  rank.compile_jobs = static_cast<int>(table.integer("compile_jobs", rank.compile_jobs, 0, 1024));
  rank.feedback_max_tokens = static_cast<int>(
      table.integer("feedback_max_tokens", rank.feedback_max_tokens, 200, 1000000));
  rank.checkpoint_s = table.number("checkpoint_s", rank.checkpoint_s, 1, kDayS);
  table.reject_unknown_keys();
  return rank;
}

template <class T, class Name>
void reject_duplicates(TomlTable& top, std::string_view key, const std::vector<T>& items,
                       Name name) {
  std::set<std::string> seen;
  for (const T& item : items) {
    if (name(item).empty() || seen.insert(name(item)).second) continue;
    top.error(key, "'" + name(item) + "' stands there twice", "Give each one a name of its own.");
  }
}

void read_lists(TomlTable& top, const std::string& file, Experiment& experiment) {
  const std::string folder = top.string("problems_folder");
  const std::string problems = folder.empty() ? problems_folder() : beside(file, folder);
  for (const TomlTable& table : top.tables("models", true)) {
    experiment.models.push_back(read_model(table, file));
  }
  for (const TomlTable& table : top.tables("targets", true)) {
    experiment.targets.push_back(read_target(table, file));
  }
  for (const TomlTable& table : top.tables("problems", true)) {
    experiment.problems.push_back(read_problem(table, problems));
  }
  for (const TomlTable& table : top.tables("prompts", false)) {
    experiment.prompts.push_back(read_prompt(table));
  }
  if (experiment.prompts.empty()) experiment.prompts.push_back({"base", {}, 0});
  const auto name_of = [](const auto& item) { return item.name; };
  reject_duplicates(top, "models", experiment.models, name_of);
  reject_duplicates(top, "targets", experiment.targets, name_of);
  reject_duplicates(top, "problems", experiment.problems, name_of);
  reject_duplicates(top, "prompts", experiment.prompts, [](const auto& item) { return item.tag; });
}

}  // namespace

tl::expected<Experiment, std::vector<Error>> parse_experiment(const std::string& text,
                                                              const std::string& path) {
  auto toml = parse_toml(text, path);
  if (!toml) return tl::unexpected(std::vector<Error>{toml.error()});
  std::vector<Error> errors;
  TomlTable top(*toml, "", path, errors);
  Experiment experiment;
  experiment.file = path;
  experiment.text = text;
  experiment.name = top.required_string("name");
  experiment.description = top.string("description");
  experiment.replicas = static_cast<int>(top.integer("replicas", 1, 1, 100000));
  read_lists(top, path, experiment);
  if (auto table = top.table("protocol")) experiment.protocol = read_protocol(*table);
  if (auto table = top.table("budgets")) experiment.budgets = read_budgets(*table);
  if (auto table = top.table("rank")) experiment.rank = read_rank(*table);
  top.reject_unknown_keys();
  if (experiment.protocol.pair_blocks > experiment.protocol.iterations) {
    top.error("protocol", "pair_blocks is larger than iterations",
              "Each block holds at least one timed call.");
  }
  if (errors.empty()) return experiment;
  std::stable_sort(errors.begin(), errors.end(),
                   [](const Error& a, const Error& b) { return a.line < b.line; });
  return tl::unexpected(std::move(errors));
}

tl::expected<Experiment, std::vector<Error>> read_experiment_file(const std::string& path) {
  auto text = read_text(path);
  if (!text) {
    Error error = text.error();
    error.hint =
        "Give the path of an experiment file, as in: ptxbatch plan experiments/quickstart.toml";
    return tl::unexpected(std::vector<Error>{std::move(error)});
  }
  return parse_experiment(*text, path);
}

std::vector<Error> check_inputs(const Experiment& experiment) {
  std::vector<Error> errors;
  const auto at_line = [&](Error error, int line, const std::string& key) {
    error.what = (error.file.empty() ? "" : error.file + ": ") + error.what;
    error.file = experiment.file;
    error.line = line;
    error.column = 0;
    error.key = key;
    errors.push_back(std::move(error));
  };
  for (const TargetSpec& target : experiment.targets) {
    for (const ProblemSpec& problem : experiment.problems) {
      for (const PromptSpec& prompt : experiment.prompts) {
        auto messages = assemble_prompt(target, problem, prompt);
        if (!messages) at_line(messages.error(), prompt.line, "prompts");
      }
    }
  }
  const std::vector<PlannedTrajectory> plan = expand_plan(experiment);
  for (const ModelSpec& model : experiment.models) {
    for (const PlannedTrajectory& trajectory : plan) {
      if (trajectory.model != model.name) continue;
      auto found =
          check_recorded_replies(model.replies_folder, trajectory, experiment.protocol.turns);
      if (!found) {
        at_line(found.error(), model.line, "models.replies");
        break;
      }
    }
  }
  return errors;
}

}  // namespace ptxbatch
