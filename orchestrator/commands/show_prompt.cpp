#include "orchestrator/commands/show_prompt.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/show.h"
#include "orchestrator/experiment_file.h"
#include "ranks/prompt/prompt.h"

namespace ptxbatch {
namespace {

using Errors = std::vector<Error>;

// The entry of this name, or the first when none is asked for.
template <class T, class Name>
Result<const T*> choose(const std::vector<T>& list, const std::string& wanted, const char* what,
                        Name name) {
  if (wanted.empty()) return &list.front();
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const T& item) { return name(item) == wanted; });
  if (found != list.end()) return &*found;
  std::string names;
  for (const T& item : list) names += (names.empty() ? "'" : ", '") + name(item) + "'";
  return fail(ErrorKind::kUsage, fmt::format("this experiment has no {} '{}'", what, wanted),
              "It has: " + names + ".");
}

Result<std::string> assembled(const Experiment& experiment, const PromptQuery& query) {
  const auto by_name = [](const auto& item) { return item.name; };
  const auto model = choose(experiment.models, query.model, "model", by_name);
  if (!model) return fail(model.error());
  const auto target = choose(experiment.targets, query.target, "target", by_name);
  if (!target) return fail(target.error());
  const auto problem = choose(experiment.problems, query.problem, "problem", by_name);
  if (!problem) return fail(problem.error());
  const auto prompt = choose(experiment.prompts, query.tag, "prompt tag",
                             [](const PromptSpec& item) { return item.tag; });
  if (!prompt) return fail(prompt.error());
  auto messages = assemble_prompt(**target, **problem, **prompt, (*model)->variant);
  if (!messages) return fail(messages.error());
  return messages_json(*messages);
}

Result<std::string> recorded(const PromptQuery& query, std::size_t width) {
  RunReadOptions options;
  if (query.trajectory.empty()) options.detail_bytes = 0;
  auto run = read_run(query.file, options);
  if (!run) return fail(run.error());
  if (query.trajectory.empty()) return show_prompts(*run, width);
  const auto trajectory = find_trajectory(run->experiment, query.file, query.trajectory);
  if (!trajectory) return fail(trajectory.error());
  auto messages = given_messages(*run, *trajectory, query.turn);
  if (!messages || query.json) return messages;
  return show_messages(*messages, width);
}

}  // namespace

tl::expected<std::string, Errors> show_prompt(const PromptQuery& query, std::size_t width) {
  const auto or_errors = [](Result<std::string> text) -> tl::expected<std::string, Errors> {
    if (text) return std::move(*text);
    return tl::unexpected(Errors{text.error()});
  };
  if (!query.file.ends_with(".toml")) return or_errors(recorded(query, width));
  const auto experiment = read_experiment_file(query.file);
  if (!experiment) return tl::unexpected(experiment.error());
  auto messages = assembled(*experiment, query);
  if (!messages || query.json) return or_errors(std::move(messages));
  return or_errors(show_messages(*messages, width));
}

}  // namespace ptxbatch
