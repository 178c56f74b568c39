#include "orchestrator/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "orchestrator/duration_text.h"
#include "ranks/problems/operators.h"
#include "ranks/prompt/prompt.h"
#include "ranks/prompt/repair_notes.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kCharactersPerToken = 4;  // a rough, usual estimate for English and code

std::size_t prompt_tokens(const TargetSpec& target, const ProblemSpec& problem,
                          const PromptSpec& prompt, const VariantSpec& variant) {
  const auto messages = assemble_prompt(target, problem, prompt, variant);
  if (!messages) return 0;
  return std::accumulate(messages->begin(), messages->end(), std::size_t{0},
                         [](std::size_t sum, const Message& message) {
                           return sum + message.content.size() / kCharactersPerToken;
                         });
}

// The largest first-turn prompt over the tags.
std::size_t largest_prompt_tokens(const Experiment& experiment, const ModelSpec& model,
                                  const TargetSpec& target, const ProblemSpec& problem) {
  std::size_t largest = 0;
  for (const PromptSpec& prompt : experiment.prompts) {
    largest = std::max(largest, prompt_tokens(target, problem, prompt, model.variant));
  }
  return largest;
}

std::string shape_text(const Problem& problem) {
  std::string text;
  for (const auto& [axis, size] : problem.axes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, size);
  }
  return text;
}

// How many failed kernels each corpus of repair notes has for what is planned.
std::string notes_text(const Experiment& experiment) {
  std::string text;
  for (const ModelSpec& model : experiment.models) {
    const RepairNotes* corpus = model.variant.repair_notes.corpus.get();
    if (corpus == nullptr) continue;
    text += fmt::format("\nrepair notes of '{}', failed kernels to learn from:", model.name);
    for (const TargetSpec& target : experiment.targets) {
      for (const ProblemSpec& problem : experiment.problems) {
        const std::size_t kernels = corpus->failed_kernels(target.name, problem.problem.definition);
        text += fmt::format("\n  {} on {}: {}", problem.name, target.name,
                            kernels == 0 ? "NONE, so no notes" : std::to_string(kernels));
      }
    }
  }
  return text;
}

}  // namespace

std::vector<PlannedTrajectory> expand_plan(const Experiment& experiment) {
  std::vector<PlannedTrajectory> plan;
  plan.reserve(experiment.models.size() * experiment.targets.size() * experiment.problems.size() *
               experiment.prompts.size() * static_cast<std::size_t>(experiment.replicas));
  for (const ModelSpec& model : experiment.models) {
    for (const TargetSpec& target : experiment.targets) {
      for (const ProblemSpec& problem : experiment.problems) {
        int count = 0;
        for (std::size_t block = 0; block < experiment.prompts.size(); ++block) {
          for (int replica = 0; replica < experiment.replicas; ++replica) {
            plan.push_back({static_cast<std::int32_t>(plan.size()),
                            fmt::format("exp_{:03}", count++), model.name, target.name,
                            problem.name, problem.problem.definition, problem.problem.workload,
                            experiment.prompts[block].tag, static_cast<std::int32_t>(block),
                            replica});
          }
        }
      }
    }
  }
  return plan;
}

std::string describe_plan(const Experiment& experiment,
                          const std::vector<PlannedTrajectory>& plan) {
  std::size_t model_width = 5;
  std::size_t target_width = 6;
  std::size_t problem_width = 7;
  for (const auto& model : experiment.models)
    model_width = std::max(model_width, model.name.size());
  for (const auto& target : experiment.targets) {
    target_width = std::max(target_width, target.name.size());
  }
  for (const auto& problem : experiment.problems) {
    problem_width = std::max(problem_width, problem.name.size());
  }
  const auto per_condition =
      experiment.prompts.size() * static_cast<std::size_t>(experiment.replicas);
  std::string text = fmt::format("Experiment {}: {}\n\n", experiment.name, experiment.file);
  text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>12}  {:>11}  {:>13}  {:>8}  {}\n", "model",
                      model_width, "target", target_width, "problem", problem_width, "trajectories",
                      "model calls", "prompt tokens", "GFLOP", "shape");
  for (const ModelSpec& model : experiment.models) {
    for (const TargetSpec& target : experiment.targets) {
      for (const ProblemSpec& problem : experiment.problems) {
        const Operator* op = find_operator(problem.problem.op_type);
        text += fmt::format(
            "{:<{}}  {:<{}}  {:<{}}  {:>12}  {:>11}  {:>13}  {:>8.3f}  {}\n", model.name,
            model_width, target.name, target_width, problem.name, problem_width, per_condition,
            per_condition * static_cast<std::size_t>(experiment.protocol.turns),
            fmt::format("~{}", largest_prompt_tokens(experiment, model, target, problem)),
            op != nullptr ? op->flops(problem.problem) / 1e9 : 0.0, shape_text(problem.problem));
      }
    }
  }
  text += "\nprompt tags:";
  for (const PromptSpec& prompt : experiment.prompts) text += fmt::format(" '{}'", prompt.tag);
  text += notes_text(experiment);
  const auto calls = plan.size() * static_cast<std::size_t>(experiment.protocol.turns);
  const StageBudgets& budgets = experiment.budgets;
  text += fmt::format(
      "\nreplicas of each: {}\ntotal: {} trajectories of at most {} turns, {} model calls at most\n"
      "device time: {} at most, if every turn used up its budget ({:g} s to evaluate, {:g} s for "
      "evidence)\n",
      experiment.replicas, plan.size(), experiment.protocol.turns, calls,
      duration_text(static_cast<double>(calls) * (budgets.evaluate_s + budgets.evidence_s)),
      budgets.evaluate_s, budgets.evidence_s);
  return text;
}

}  // namespace ptxbatch
