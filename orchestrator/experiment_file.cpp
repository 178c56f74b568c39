#include "orchestrator/experiment_file.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "common/file_system.h"
#include "common/toml_table.h"
#include "orchestrator/experiment_bundle.h"
#include "orchestrator/installation.h"
#include "orchestrator/model_section.h"
#include "orchestrator/variant_section.h"

namespace ptxbatch {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::max();
constexpr double kDayS = 86400;

std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::absolute(file).parent_path() / path).lexically_normal().string();
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
    const bool uuid = problem.error().key == "workload.uuid";
    table.error(
        uuid ? "workload" : "definition",
        "'" + (uuid ? workload : definition) + "' cannot be used: " + describe(problem.error()));
  }
  return spec;
}

PromptSpec read_prompt(TomlTable table) {
  PromptSpec prompt;
  prompt.line = table.line();
  prompt.tag = table.required_string("tag");
  prompt.guidance = read_guidance(table);
  table.reject_unknown_keys();
  return prompt;
}

void check_sanitizers(TomlTable& table, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "memcheck" || name == "racecheck" || name == "synccheck" || name == "initcheck") {
      continue;
    }
    table.error("sanitizers", "'" + name + "' is not a tool of compute-sanitizer",
                "Known: memcheck, racecheck, synccheck, initcheck.");
  }
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
      static_cast<int>(table.integer("pair_blocks", protocol.pair_blocks, 0, 1000));
  protocol.unclaimed_ms = table.number("unclaimed_ms", protocol.unclaimed_ms, 0, kNoLimit);
  protocol.abs_tolerance = table.number("abs_tolerance", protocol.abs_tolerance, 0, kNoLimit);
  protocol.rel_tolerance = table.number("rel_tolerance", protocol.rel_tolerance, 0, kNoLimit);
  protocol.input_seed = static_cast<std::uint64_t>(
      table.integer("input_seed", static_cast<std::int64_t>(protocol.input_seed), 0,
                    std::numeric_limits<std::int64_t>::max()));
  if (table.has("sanitizers")) {
    protocol.sanitizers = table.strings("sanitizers");
    check_sanitizers(table, protocol.sanitizers);
  }
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
  rank.profiling = static_cast<int>(table.integer("profiling", rank.profiling, 0, 100000));
  rank.compile_jobs = static_cast<int>(table.integer("compile_jobs", rank.compile_jobs, 0, 1024));
  rank.feedback_max_tokens = static_cast<int>(
      table.integer("feedback_max_tokens", rank.feedback_max_tokens, 200, 1000000));
  rank.checkpoint_s = table.number("checkpoint_s", rank.checkpoint_s, 1, kDayS);
  rank.put_backs = static_cast<int>(table.integer("put_backs", rank.put_backs, 0, 1000));
  rank.gateways = table.choice("generation", "direct", {"direct", "gateway"}) == "gateway";
  constexpr std::int64_t kMostRanks = 1'000'000;
  const auto gateways = table.integers("gateway_ranks", 1, kMostRanks);
  if (!gateways.empty()) rank.gateway_ranks.assign(gateways.begin(), gateways.end());
  rank.silence_s = table.number("silence_s", rank.silence_s, 0, kDayS);
  table.reject_unknown_keys();
  return rank;
}

ReliabilitySettings read_reliability(TomlTable table) {
  ReliabilitySettings settings;
  settings.drift = table.number("drift", settings.drift, 0, kNoLimit);
  settings.shift = table.number("shift", settings.shift, 0, kNoLimit);
  settings.repeats = static_cast<int>(table.integer("repeats", settings.repeats, 0, 100));
  settings.restarts = static_cast<int>(table.integer("restarts", settings.restarts, 0, 100));
  settings.sound_turns =
      static_cast<int>(table.integer("sound_turns", settings.sound_turns, 1, 100000));
  settings.cool_down_s = table.number("cool_down_s", settings.cool_down_s, 0, kDayS);
  table.reject_unknown_keys();
  return settings;
}

SpendingLimits read_spending(TomlTable table) {
  SpendingLimits spending;
  spending.max_tokens = table.integer("max_tokens", 0, 1, std::numeric_limits<std::int64_t>::max());
  spending.max_cost_usd = table.positive_number("max_cost_usd", 0);
  table.reject_unknown_keys();
  return spending;
}

// The models of one included file, which holds nothing else.
void read_included_models(const std::string& path, const std::string& text, Experiment& experiment,
                          std::vector<Error>& errors) {
  auto toml = parse_toml(text, path);
  if (!toml) {
    errors.push_back(toml.error());
    return;
  }
  TomlTable top(*toml, "", path, errors);
  for (const TomlTable& table : top.tables("models", true)) {
    experiment.models.push_back(read_model(table, path));
  }
  top.reject_unknown_keys();
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

void read_models(TomlTable& top, const std::string& file, const ExperimentBundle& bundle,
                 Experiment& experiment, std::vector<Error>& errors) {
  const std::vector<std::string> paths = top.strings("models_from");
  for (const TomlTable& table : top.tables("models", paths.empty())) {
    experiment.models.push_back(read_model(table, file));
  }
  for (const std::string& path : paths) {
    const auto included = bundle.included.find(path);
    if (included == bundle.included.end()) {
      top.error("models_from", "'" + path + "' does not come with this text",
                "Give the experiment file itself.");
    } else {
      read_included_models(beside(file, path), included->second, experiment, errors);
    }
  }
}

// The same name for two rows is mostly a variant whose name does not tell its models apart.
void take_variants(TomlTable& top, const std::string& file, Experiment& experiment) {
  for (ModelSpec& model : experiment.models) model.base = model.name;
  std::vector<NamedVariant> variants;
  for (const TomlTable& table : top.tables("variants", false)) {
    variants.push_back(read_variant(table, file));
  }
  std::set<std::string> rows;
  const std::vector<ModelSpec> expanded = expand_variants(experiment.models, variants);
  for (const ModelSpec& row : expanded) {
    if (variants.empty() || row.name.empty() || rows.insert(row.name).second) continue;
    top.error("variants", "two rows would have the name '" + row.name + "'",
              "Put {model} into the variants' names: it stands for the model's.");
    break;
  }
  experiment.models = expanded;
}

void read_lists(TomlTable& top, const std::string& file, Experiment& experiment) {
  const std::string folder = top.string("problems_folder");
  const std::string problems = folder.empty() ? problems_folder() : beside(file, folder);
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
  take_variants(top, file, experiment);
  reject_duplicates(top, "targets", experiment.targets, name_of);
  reject_duplicates(top, "problems", experiment.problems, name_of);
  reject_duplicates(top, "prompts", experiment.prompts, [](const auto& item) { return item.tag; });
}

// What else is wrong with the text is found when the whole is parsed.
Result<std::string> with_included_files(const std::string& text, const std::string& path) {
  const auto toml = parse_toml(split_bundle(text).text, path);
  if (!toml) return text;
  std::vector<Error> errors;
  TomlTable top(*toml, "", path, errors);
  auto bundle = complete_bundle(text, path, top.strings("models_from"));
  if (bundle) return bundle;
  top.error("models_from", describe(bundle.error()), "Paths are relative to the experiment file.");
  return fail(errors.back());
}

}  // namespace

tl::expected<Experiment, std::vector<Error>> parse_experiment(const std::string& text,
                                                              const std::string& path) {
  const ExperimentBundle bundle = split_bundle(text);
  auto toml = parse_toml(bundle.text, path);
  if (!toml) return tl::unexpected(std::vector<Error>{toml.error()});
  std::vector<Error> errors;
  TomlTable top(*toml, "", path, errors);
  Experiment experiment;
  experiment.file = path;
  experiment.text = text;
  experiment.name = top.required_string("name");
  experiment.description = top.string("description");
  experiment.replicas = static_cast<int>(top.integer("replicas", 1, 1, 100000));
  read_models(top, path, bundle, experiment, errors);
  read_lists(top, path, experiment);
  if (auto table = top.table("protocol")) experiment.protocol = read_protocol(*table);
  if (auto table = top.table("budgets")) experiment.budgets = read_budgets(*table);
  if (auto table = top.table("rank")) experiment.rank = read_rank(*table);
  if (auto table = top.table("reliability")) experiment.reliability = read_reliability(*table);
  if (auto table = top.table("spending")) experiment.spending = read_spending(*table);
  top.reject_unknown_keys();
  if (experiment.protocol.pair_blocks > experiment.protocol.iterations) {
    top.error("protocol", "pair_blocks is larger than iterations",
              "Each block holds at least one timed call.");
  }
  if (experiment.protocol.pair_blocks == 0 && experiment.protocol.speedup == "paired") {
    top.error("protocol", "speedup = \"paired\" needs pair_blocks of at least 1",
              "Without pairs there is only the paper's speedup.");
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
  auto bundle = with_included_files(*text, path);
  if (!bundle) return tl::unexpected(std::vector<Error>{bundle.error()});
  return parse_experiment(*bundle, path);
}

}  // namespace ptxbatch
