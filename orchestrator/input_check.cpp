#include "orchestrator/input_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "orchestrator/installation.h"
#include "orchestrator/plan.h"
#include "orchestrator/variant_section.h"
#include "ranks/generate/model_client.h"
#include "ranks/generate/recorded_client.h"
#include "ranks/generate/token_estimate.h"
#include "ranks/problems/reference_support.h"
#include "ranks/prompt/pack.h"
#include "ranks/prompt/prompt.h"

namespace ptxbatch {
namespace {

class InputCheck {
 public:
  explicit InputCheck(const Experiment& experiment) : experiment_(experiment) {}

  std::vector<Error> run() {
    check_packs();
    check_references();
    check_prompts();
    check_recordings();
    check_contexts();
    check_cost_limit();
    return std::move(errors_);
  }

 private:
  void add(Error error, const std::string& file, int line, const std::string& key) {
    // What is wrong in the experiment file itself says where already.
    const bool placed = error.file.empty() && error.line > 0;
    error.what = (error.file.empty() ? "" : error.file + ": ") + error.what;
    error.file = file;
    error.column = 0;
    if (!placed) error.line = line;
    if (!placed) error.key = key;
    // One mistake shows in every problem and variant that it concerns.
    const std::string text = describe(error);
    const bool known = std::any_of(errors_.begin(), errors_.end(),
                                   [&](const Error& earlier) { return describe(earlier) == text; });
    if (!known) errors_.push_back(std::move(error));
  }

  void add(std::string what, std::string hint, const ModelSpec& model, const std::string& key) {
    add(Error{ErrorKind::kInput, std::move(what), std::move(hint), {}, 0, 0, {}}, model.file,
        model.line, key);
  }

  void check_packs() {
    for (std::size_t i = 0; i < experiment_.targets.size(); ++i) {
      const TargetSpec& target = experiment_.targets[i];
      auto pack = load_pack(target.pack_folder);
      if (pack) {
        with_pack_.push_back(&target);
        continue;
      }
      if (pack.error().hint.empty()) {
        pack.error().hint =
            "A pack is a folder with pack.toml, relative to the experiment file; "
            "without this key it is " +
            knowledge_pack_folder(target.name) + ".";
      }
      add(pack.error(), experiment_.file, target.line, fmt::format("targets[{}].pack", i));
    }
  }

  void check_references() {
    for (const TargetSpec& target : experiment_.targets) {
      for (const ProblemSpec& problem : experiment_.problems) {
        auto reference = check_reference(target.name, problem.problem);
        if (!reference) add(reference.error(), experiment_.file, problem.line, "problems");
      }
    }
  }

  /// Calls take(messages, target, problem, prompt) for each first prompt of a variant.
  template <class Take>
  void for_each_prompt(const VariantSpec& variant, Take take) {
    for (const TargetSpec* target : with_pack_) {
      for (const ProblemSpec& problem : experiment_.problems) {
        for (const PromptSpec& prompt : experiment_.prompts) {
          take(assemble_prompt(*target, problem, prompt, variant), problem, prompt);
        }
      }
    }
  }

  void check_prompts() {
    for (const VariantSpec* variant : variants_of(experiment_)) {
      for_each_prompt(*variant, [this](const auto& messages, const auto&, const auto& prompt) {
        if (!messages) add(messages.error(), experiment_.file, prompt.line, "prompts");
      });
    }
  }

  void check_recordings() {
    const std::vector<PlannedTrajectory> plan = expand_plan(experiment_);
    for (const ModelSpec& model : experiment_.models) {
      for (const PlannedTrajectory& trajectory : plan) {
        if (trajectory.model != model.name || needs_http(model)) continue;
        auto found =
            check_recorded_replies(model.replies_folder, trajectory, experiment_.protocol.turns);
        if (found) continue;
        add(found.error(), model.file, model.line, "models.replies");
        break;
      }
    }
  }

  // As the trajectory itself would find, and end without a turn.
  void check_contexts() {
    for (const ModelSpec& model : experiment_.models) {
      const EndpointSpec& endpoint = model.endpoint;
      if (!needs_http(model) || endpoint.context_tokens == 0) continue;
      std::int64_t largest = 0;
      std::string whose;
      for_each_prompt(model.variant, [&](const auto& messages, const auto& problem, const auto&) {
        const std::int64_t tokens = messages ? estimated_tokens(bytes_of(*messages)) : 0;
        if (tokens > largest) whose = problem.name;
        largest = std::max(largest, tokens);
      });
      if (largest + endpoint.least_reply_tokens <= endpoint.context_tokens) continue;
      add(fmt::format(
              "the first prompt of {} has about {} tokens; with least_reply_tokens = {} for "
              "a reply that is more than the {} of model '{}'",
              whose, largest, endpoint.least_reply_tokens, endpoint.context_tokens, model.name),
          "Raise context_tokens if the model takes more, lower least_reply_tokens, or give less of "
          "the knowledge pack with [[variants]].",
          model, "models.context_tokens");
    }
  }

  void check_cost_limit() {
    if (experiment_.spending.max_cost_usd == 0) return;
    for (const ModelSpec& model : experiment_.models) {
      const ModelPrices& prices = model.endpoint.prices;
      if (!needs_http(model) || prices.given || prices.reported) continue;
      add(fmt::format("max_cost_usd cannot be kept: what model '{}' costs is not known",
                      model.base),
          "Add its prices in dollars for a million tokens: prices = { prompt = 2.5, completion = "
          "10 "
          "} (0: it is free), or prices = { reported = true } where the server gives the cost of "
          "each reply, as OpenRouter does.",
          model, "models.prices");
    }
  }

  const Experiment& experiment_;
  std::vector<const TargetSpec*> with_pack_;
  std::vector<Error> errors_;
};

}  // namespace

std::vector<Error> check_inputs(const Experiment& experiment) {
  return InputCheck(experiment).run();
}

}  // namespace ptxbatch
