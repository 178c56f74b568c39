// The file that says which figures there are: experiments/paper/figures.toml and its like.
#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/figure_set.h"
#include "common/file_system.h"
#include "common/toml_table.h"

namespace ptxbatch {
namespace {

FigureKind kind_from_name(const std::string& name) {
  if (name == "scores") return FigureKind::kScores;
  if (name == "turns") return FigureKind::kTurns;
  if (name == "transitions") return FigureKind::kTransitions;
  if (name == "reasoning") return FigureKind::kReasoning;
  if (name == "bars") return FigureKind::kBars;
  return FigureKind::kFastP;
}

// A figure's name becomes the name of files.
bool is_file_name(const std::string& name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         name.find_first_not_of(kAllowed) == std::string::npos;
}

std::string resolve(const std::string& path, const std::string& file) {
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

FigureSpec read_figure(TomlTable& table, const std::string& file) {
  FigureSpec spec;
  spec.name = table.required_string("name");
  if (!spec.name.empty() && !is_file_name(spec.name)) {
    table.error("name", "'" + spec.name + "' cannot be the name of a file",
                "Use letters, digits, '_', '-' and '.'.");
  }
  spec.title = table.string("title");
  spec.kind = kind_from_name(table.choice(
      "kind", "fast_p", {"fast_p", "scores", "turns", "transitions", "reasoning", "bars"}));
  if (spec.kind == FigureKind::kBars) {
    spec.data = resolve(table.required_string("data"), file);
    spec.ratios = table.boolean("ratios", false);
  } else {
    spec.selection = {table.strings("models"), table.strings("targets"), table.strings("problems")};
  }
  if (spec.kind == FigureKind::kScores) {
    spec.turns = static_cast<std::int32_t>(table.integer("turns", 8, 1, 1000));
    for (TomlTable& group : table.tables("groups", false)) {
      spec.groups.push_back({group.required_string("name"), group.strings("problems")});
      group.reject_unknown_keys();
    }
  }
  table.reject_unknown_keys();
  return spec;
}

}  // namespace

tl::expected<FigureSet, std::vector<Error>> read_figure_file(const std::string& path) {
  using Errors = std::vector<Error>;
  const auto text = read_text(path);
  if (!text) return tl::unexpected<Errors>(Errors{text.error()});
  const auto parsed = parse_toml(*text, path);
  if (!parsed) return tl::unexpected<Errors>(Errors{parsed.error()});
  Errors errors;
  TomlTable top(*parsed, "", path, errors);
  FigureSet set;
  set.paper_blocks = top.boolean("paper_blocks", false);
  std::set<std::string> names;
  for (TomlTable& table : top.tables("figures", true)) {
    set.figures.push_back(read_figure(table, path));
    if (!names.insert(set.figures.back().name).second) {
      table.error("name", "there is another figure '" + set.figures.back().name + "'",
                  "Names must differ: files are named after them.");
    }
  }
  top.reject_unknown_keys();
  if (!errors.empty()) return tl::unexpected<Errors>(std::move(errors));
  return set;
}

}  // namespace ptxbatch
