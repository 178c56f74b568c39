#include "results/published_experiment.h"

#include "common/toml_table.h"

namespace ptxbatch {
namespace {

constexpr const char* kKind = "published";
constexpr std::int64_t kMostTurns = 1000;
constexpr std::int64_t kMostBlocks = 1000;

std::vector<PublishedTarget> read_targets(TomlTable& top) {
  std::vector<PublishedTarget> targets;
  for (TomlTable& table : top.tables("targets", true)) {
    targets.push_back({table.required_string("name"), table.required_string("device"),
                       table.required_string("family")});
    table.reject_unknown_keys();
  }
  return targets;
}

std::vector<PublishedProblem> read_problems(TomlTable& top) {
  std::vector<PublishedProblem> problems;
  for (TomlTable& table : top.tables("problems", false)) {
    problems.push_back({table.required_string("definition"), table.required_string("name")});
    table.reject_unknown_keys();
  }
  return problems;
}

std::map<std::string, std::string> read_models(TomlTable& top) {
  std::map<std::string, std::string> models;
  for (TomlTable& table : top.tables("models", false)) {
    const std::string name = table.required_string("name");
    for (const std::string& run : table.strings("runs")) {
      if (!models.try_emplace(run, name).second) {
        table.error("runs", "names the run '" + run + "' a second time");
      }
    }
    table.reject_unknown_keys();
  }
  return models;
}

std::vector<BlockSelection> read_selections(TomlTable& top) {
  std::vector<BlockSelection> selections;
  for (TomlTable& table : top.tables("selections", false)) {
    selections.push_back({static_cast<std::int32_t>(table.integer("run_blocks", 0, 1, kMostBlocks)),
                          table.strings("problems"), table.integers("blocks", 0, kMostBlocks)});
    table.reject_unknown_keys();
  }
  return selections;
}

std::vector<PaperRow> read_rows(TomlTable& top) {
  std::vector<PaperRow> rows;
  for (TomlTable& table : top.tables("rows", false)) {
    rows.push_back({static_cast<std::int32_t>(table.integer("table", 0, 1, 100)),
                    table.required_string("row"), table.required_string("model"),
                    table.integers("blocks", 0, kMostBlocks)});
    table.reject_unknown_keys();
  }
  return rows;
}

std::vector<KnownDifference> read_differences(TomlTable& top) {
  std::vector<KnownDifference> differences;
  for (TomlTable& table : top.tables("differences", false)) {
    differences.push_back(
        {table.string("row"), table.string("device"), table.string("problem"),
         table.choice("restriction", "", {"", "target_instruction", "unrestricted"}),
         table.required_string("reason")});
    table.reject_unknown_keys();
  }
  return differences;
}

}  // namespace

tl::expected<PublishedExperiment, std::vector<Error>> parse_published_experiment(
    const std::string& text, const std::string& file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::unexpected(std::vector<Error>{parsed.error()});
  std::vector<Error> errors;
  TomlTable top(*parsed, "", file, errors);
  PublishedExperiment experiment;
  if (top.required_string("kind") != kKind) top.error("kind", "must be \"published\"");
  experiment.name = top.required_string("name");
  experiment.turns = static_cast<std::int32_t>(top.integer("turns", 8, 1, kMostTurns));
  experiment.target_speedup = top.number("target_speedup", 1.2, 0, 1e6);
  experiment.block_size = static_cast<std::int32_t>(top.integer("block_size", 4, 1, 1000));
  experiment.targets = read_targets(top);
  experiment.problems = read_problems(top);
  experiment.models = read_models(top);
  experiment.selections = read_selections(top);
  experiment.rows = read_rows(top);
  experiment.differences = read_differences(top);
  top.reject_unknown_keys();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return experiment;
}

bool is_published_experiment(const std::string& text) {
  const auto parsed = parse_toml(text, "");
  return parsed && (*parsed)["kind"].value_or(std::string()) == kKind;
}

}  // namespace ptxbatch
