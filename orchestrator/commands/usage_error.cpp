#include "orchestrator/commands/usage_error.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "common/toml_table.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/report_error.h"

namespace ptxbatch {
namespace {

using Names = std::set<std::string, std::less<>>;

// The command of a command line, as far as it was understood.
struct Understood {
  const CLI::App* command;
  std::string name;  // "ptxbatch import published"
};

Understood understood_part(const CLI::App& app) {
  Understood part{&app, app.get_name()};
  for (auto chosen = app.get_subcommands(); !chosen.empty();
       chosen = part.command->get_subcommands()) {
    part.command = chosen.front();
    part.name += " " + part.command->get_name();
  }
  return part;
}

Names commands_of(const CLI::App& app) {
  Names names;
  for (const CLI::App* command : app.get_subcommands({})) names.insert(command->get_name());
  return names;
}

Names options_of(const CLI::App& app) {
  Names names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  }
  return names;
}

std::string did_you_mean(const std::string& word, const Names& known) {
  const std::string close = closest_word(word, known);
  return close.empty() ? "" : "Did you mean " + close + "? ";
}

std::string what_is_wrong(const Understood& part, const CLI::ParseError& end,
                          const std::string& unknown) {
  if (unknown.empty()) return end.what();
  if (unknown.starts_with("-")) return "there is no option " + unknown.substr(0, unknown.find('='));
  if (!part.command->get_subcommands({}).empty()) return "there is no command '" + unknown + "'";
  return "'" + unknown + "' is one argument too many";
}

std::string hint_of(const Understood& part, const std::string& unknown) {
  const bool option = unknown.starts_with("-");
  const Names known = option ? options_of(*part.command) : commands_of(*part.command);
  return fmt::format("{}'{} --help' shows how it is used.",
                     did_you_mean(unknown.substr(0, unknown.find('=')), known), part.name);
}

}  // namespace

int report_parse_end(const CLI::App& app, const CLI::ParseError& end) {
  if (end.get_exit_code() == 0) return app.exit(end) == 0 ? kExitDone : kExitError;
  const Understood part = understood_part(app);
  const std::vector<std::string> left = app.remaining(true);
  const bool is_unknown =
      dynamic_cast<const CLI::ExtrasError*>(&end) != nullptr ||
      (dynamic_cast<const CLI::RequiredError*>(&end) != nullptr && !left.empty());
  const std::string unknown = is_unknown && !left.empty() ? left.front() : "";
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = what_is_wrong(part, end, unknown);
  if (part.command != &app)
    error.what = part.name.substr(app.get_name().size() + 1) + ": " + error.what;
  error.hint = hint_of(part, unknown);
  return report(error);
}

}  // namespace ptxbatch
