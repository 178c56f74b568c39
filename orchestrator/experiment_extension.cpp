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

/// How a run is operated, not what it measures: may be changed while it is under way.
bool is_operating(std::string_view section, std::string_view key) {
  if (section == "models") {
    return is_one_of(
        key, {"url", "url_env", "api_key_env", "ca_file", "limits", "prices", "clocks", "retries"});
  }
  if (section == "rank") return key != "feedback_max_tokens";
  // These decide which measurements count.
  if (section == "reliability") return !is_one_of(key, {"drift", "repeats"});
  return section == "spending";
}

/// Shows in the record of the experiment, where it is compared as it was understood.
bool is_in_record(std::string_view section, std::string_view key) {
  return section.empty() ? is_one_of(key, {"replicas", "description"})
                         : section == "protocol" && key == "turns";
}

bool same_node(const toml::node* a, const toml::node* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return toml::node_view(*a) == toml::node_view(*b);
}

const toml::node* entry_of(const toml::table* table, const std::string& key) {
  return table != nullptr ? table->get(key) : nullptr;
}

std::set<std::string> keys_of(const toml::table* a, const toml::table* b) {
  std::set<std::string> keys;
  for (const toml::table* table : {a, b}) {
    if (table == nullptr) continue;
    for (const auto& [key, value] : *table) keys.insert(std::string(std::string_view(key)));
  }
  return keys;
}

/// The keys in which two tables differ that may, each behind `label`; nothing when they differ in
/// another one.
std::optional<std::vector<std::string>> operating_changes(const std::string& section,
                                                          const std::string& label,
                                                          const toml::node* before,
                                                          const toml::node* after) {
  const toml::table* a = before != nullptr ? before->as_table() : nullptr;
  const toml::table* b = after != nullptr ? after->as_table() : nullptr;
  std::vector<std::string> changes;
  for (const std::string& key : keys_of(a, b)) {
    if (is_in_record(section, key) || same_node(entry_of(a, key), entry_of(b, key))) continue;
    if (!is_operating(section, key)) return std::nullopt;
    changes.push_back(fmt::format("{}.{}", label, key));
  }
  return changes;
}

/// A later text against an earlier one.
class TextComparison {
 public:
  /// Whether the text only adds to the other, but for how the run is operated; texts that cannot be
  /// read do not.
  bool extends(const std::string& before, const std::string& after) {
    if (before == after) return true;
    const ExperimentBundle old_parts = split_bundle(before);
    const ExperimentBundle parts = split_bundle(after);
    for (const auto& [path, text] : old_parts.included) {
      const auto now = parts.included.find(path);
      if (now == parts.included.end() || !part_extends(text, now->second)) return false;
    }
    return part_extends(old_parts.text, parts.text);
  }

  /// "rank.checkpoint_s", "model 'b'.url".
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }

 private:
  bool part_extends(const std::string& before, const std::string& after) {
    const auto a = parse_toml(before, "");
    const auto b = parse_toml(after, "");
    if (!a || !b) return false;
    const auto keys = keys_of(&*a, &*b);
    return std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
      return is_in_record("", key) || entry_extends(key, a->get(key), b->get(key));
    });
  }

  bool entry_extends(const std::string& key, const toml::node* before, const toml::node* after) {
    if (is_one_of(key, {"models", "models_from", "variants", "targets", "problems", "prompts"})) {
      return list_extends(key, before, after);
    }
    if (is_one_of(key, {"protocol", "rank", "spending", "reliability"})) {
      return note(operating_changes(key, key, before, after));
    }
    return same_node(before, after);
  }

  /// Whether each entry of [[before]] still stands in [[after]].
  bool list_extends(const std::string& key, const toml::node* before, const toml::node* after) {
    const toml::array* old_entries = before != nullptr ? before->as_array() : nullptr;
    const toml::array* entries = after != nullptr ? after->as_array() : nullptr;
    // No prompts and no variants stand for one of each, which those that are given now replace.
    const bool begins = before == nullptr && is_one_of(key, {"models", "models_from"});
    if (old_entries == nullptr || entries == nullptr) return begins || same_node(before, after);
    return std::all_of(old_entries->begin(), old_entries->end(), [&](const toml::node& old_entry) {
      return std::any_of(entries->begin(), entries->end(), [&](const toml::node& entry) {
        return entry_stays(key, old_entry, entry);
      });
    });
  }

  bool entry_stays(const std::string& key, const toml::node& before, const toml::node& after) {
    if (same_node(&before, &after)) return true;
    if (!before.is_table() || !after.is_table()) return false;
    const std::string name = (*before.as_table())["name"].value_or(std::string());
    return note(operating_changes(key, fmt::format("model '{}'", name), &before, &after));
  }

  bool note(const std::optional<std::vector<std::string>>& changes) {
    if (changes) changes_.insert(changes_.end(), changes->begin(), changes->end());
    return changes.has_value();
  }

  std::vector<std::string> changes_;
};

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
      "turns, replicas, models, targets, problems, prompts. Changed can be how it is operated: "
      "docs/durability.md lists it.";
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
  ExperimentExtension extension{wanted, {}, {}};
  extension.experiment.trajectories = std::move(*plan);
  TextComparison texts;
  if (!extends(extension.experiment, stored) || !texts.extends(stored.text, wanted.text)) {
    return fail(refusal(stored, wanted));
  }
  extension.changed = texts.changes();
  extension.added = describe_added(stored, extension.experiment);
  return extension;
}

}  // namespace ptxbatch
