#include "orchestrator/experiment_extension.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "common/toml_table.h"
#include "orchestrator/experiment_bundle.h"
#include "orchestrator/text_diff.h"
#include "results/experiment_versions.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kDiffLines = 20;

// --- the texts -----------------------------------------------------------------------------------

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool same_node(const toml::node* a, const toml::node* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return toml::node_view(*a) == toml::node_view(*b);
}

std::set<std::string> keys_of(const toml::table* a, const toml::table* b) {
  std::set<std::string> keys;
  for (const toml::table* table : {a, b}) {
    if (table == nullptr) continue;
    for (const auto& [key, value] : *table) keys.insert(std::string(std::string_view(key)));
  }
  return keys;
}

/// Whether each entry of [[before]] stands in [[after]] as it was.
bool holds_all(const toml::node* before, const toml::node* after) {
  const toml::array* old_entries = before != nullptr ? before->as_array() : nullptr;
  const toml::array* entries = after != nullptr ? after->as_array() : nullptr;
  if (old_entries == nullptr || entries == nullptr) return same_node(before, after);
  return std::all_of(old_entries->begin(), old_entries->end(), [&](const toml::node& old_entry) {
    return std::any_of(entries->begin(), entries->end(),
                       [&](const toml::node& entry) { return same_node(&old_entry, &entry); });
  });
}

/// [protocol] may differ in the number of turns, which is compared as it was understood.
bool same_protocol(const toml::node* before, const toml::node* after) {
  const toml::table* a = before != nullptr ? before->as_table() : nullptr;
  const toml::table* b = after != nullptr ? after->as_table() : nullptr;
  const auto keys = keys_of(a, b);
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return key == "turns" ||
           same_node(a != nullptr ? a->get(key) : nullptr, b != nullptr ? b->get(key) : nullptr);
  });
}

// `replicas` shows in the plan.
bool only_adds(const toml::table& before, const toml::table& after) {
  const auto keys = keys_of(&before, &after);
  return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
    if (is_one_of(key, {"replicas", "description"})) return true;
    const toml::node* a = before.get(key);
    const toml::node* b = after.get(key);
    if (key == "protocol") return same_protocol(a, b);
    const bool grows =
        is_one_of(key, {"models", "models_from", "variants", "targets", "problems", "prompts"});
    return grows ? holds_all(a, b) : same_node(a, b);
  });
}

/// Whether the text only adds to the other; texts that cannot be read do not.
bool only_adds(const std::string& before, const std::string& after) {
  if (before == after) return true;
  const ExperimentBundle old_parts = split_bundle(before);
  const ExperimentBundle parts = split_bundle(after);
  const bool keeps_included =
      std::all_of(old_parts.included.begin(), old_parts.included.end(), [&](const auto& included) {
        const auto now = parts.included.find(included.first);
        return now != parts.included.end() && now->second == included.second;
      });
  if (!keeps_included) return false;
  const auto old_table = parse_toml(old_parts.text, "");
  const auto table = parse_toml(parts.text, "");
  return old_table && table && only_adds(*old_table, *table);
}

// --- the plan ------------------------------------------------------------------------------------

using Identity = std::tuple<std::string, std::string, std::string, std::string, std::string,
                            std::string, std::int32_t>;
Identity identity_of(const PlannedTrajectory& planned) {
  return {planned.model,    planned.target,     planned.problem, planned.definition,
          planned.workload, planned.prompt_tag, planned.replica};
}

/// Hands out numbers that go on from those of a plan.
class Numbering {
 public:
  explicit Numbering(const std::vector<PlannedTrajectory>& plan) {
    for (const PlannedTrajectory& planned : plan) {
      ++in_group_[group_of(planned)];
      blocks_.try_emplace(planned.prompt_tag, planned.prompt_block);
      next_block_ = std::max(next_block_, planned.prompt_block + 1);
    }
    next_index_ = static_cast<std::int32_t>(plan.size());
  }
  PlannedTrajectory numbered(PlannedTrajectory added) {
    added.index = next_index_++;
    added.id = trajectory_id(in_group_[group_of(added)]++);
    const auto [block, is_new] = blocks_.try_emplace(added.prompt_tag, next_block_);
    if (is_new) ++next_block_;
    added.prompt_block = block->second;
    return added;
  }

 private:
  using Group = std::tuple<std::string, std::string, std::string>;  // in which ids count
  static Group group_of(const PlannedTrajectory& planned) {
    return {planned.model, planned.target, planned.problem};
  }
  static std::string trajectory_id(int number) { return fmt::format("exp_{:03}", number); }

  std::map<Group, int> in_group_;
  std::map<std::string, std::int32_t> blocks_;  // by prompt tag
  std::int32_t next_block_ = 0;
  std::int32_t next_index_ = 0;
};

/// The stored plan with all behind it that only `wanted` has; nothing when `wanted` lacks some.
std::optional<std::vector<PlannedTrajectory>> extend_plan(
    const std::vector<PlannedTrajectory>& stored, const std::vector<PlannedTrajectory>& wanted) {
  std::set<Identity> missing;
  for (const PlannedTrajectory& planned : stored) missing.insert(identity_of(planned));
  const std::set<Identity> known = missing;
  std::vector<PlannedTrajectory> plan = stored;
  Numbering numbering(stored);
  for (const PlannedTrajectory& planned : wanted) {
    missing.erase(identity_of(planned));
    if (!known.contains(identity_of(planned))) plan.push_back(numbering.numbered(planned));
  }
  if (!missing.empty()) return std::nullopt;
  return plan;
}

// --- what to tell --------------------------------------------------------------------------------

/// "model 'b'" for each name that only the part of the plan behind `first_new` has.
void name_new(const std::vector<PlannedTrajectory>& plan, std::size_t first_new,
              const std::string& what, std::string PlannedTrajectory::*name,
              std::vector<std::string>& added) {
  std::set<std::string> known;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const bool is_new = known.insert(plan[i].*name).second;
    if (is_new && i >= first_new) added.push_back(fmt::format("{} '{}'", what, plan[i].*name));
  }
}

int replicas_in(const std::vector<PlannedTrajectory>& plan) {
  std::int32_t most = -1;
  for (const PlannedTrajectory& planned : plan) most = std::max(most, planned.replica);
  return most + 1;
}

std::vector<std::string> describe_added(const ExperimentRecord& stored,
                                        const ExperimentRecord& extended) {
  std::vector<std::string> added;
  if (extended.turns > stored.turns) {
    added.push_back(fmt::format("turns {} -> {}", stored.turns, extended.turns));
  }
  const std::size_t first_new = stored.trajectories.size();
  const auto& plan = extended.trajectories;
  if (replicas_in(plan) > replicas_in(stored.trajectories)) {
    added.push_back(
        fmt::format("replicas {} -> {}", replicas_in(stored.trajectories), replicas_in(plan)));
  }
  name_new(plan, first_new, "model", &PlannedTrajectory::model, added);
  name_new(plan, first_new, "target", &PlannedTrajectory::target, added);
  name_new(plan, first_new, "problem", &PlannedTrajectory::problem, added);
  name_new(plan, first_new, "prompt", &PlannedTrajectory::prompt_tag, added);
  if (plan.size() > first_new) {
    added.push_back(fmt::format("{} more trajectories", plan.size() - first_new));
  }
  return added;
}

Error refusal(const ExperimentRecord& stored, const ExperimentRecord& wanted) {
  Error error;
  error.kind = ErrorKind::kConflict;
  error.hint =
      "Give another output with -o, or the experiment file as it was. Only added to a run can be: "
      "turns, replicas, models, targets, problems, prompts.";
  error.what = stored.text == wanted.text
                   ? "this output was begun with the same experiment file but other problem files"
                   : "this output belongs to another experiment ('" + stored.name +
                         "'); stored (-) against given (+):\n" +
                         line_diff(stored.text, wanted.text, kDiffLines);
  return error;
}

}  // namespace

Result<ExperimentExtension> extend_experiment(const ExperimentRecord& stored,
                                              const ExperimentRecord& wanted) {
  auto plan = extend_plan(stored.trajectories, wanted.trajectories);
  if (!plan) return fail(refusal(stored, wanted));
  ExperimentExtension extension{wanted, {}};
  extension.experiment.trajectories = std::move(*plan);
  if (!extends(extension.experiment, stored) || !only_adds(stored.text, wanted.text)) {
    return fail(refusal(stored, wanted));
  }
  extension.added = describe_added(stored, extension.experiment);
  return extension;
}

}  // namespace ptxbatch
