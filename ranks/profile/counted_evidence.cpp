#include "ranks/profile/counted_evidence.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/log.h"
#include "ranks/problems/operators.h"
#include "ranks/profile/flop_coverage.h"

namespace ptxbatch {
namespace {

constexpr int kSet = 0;

/// What one function's run gave: counts, or why there are none.
using Counted = tl::expected<FunctionCounts, std::string>;

class CountingRun {
 public:
  CountingRun(KeeperClient& keeper, const CountingTools& tools,
              const KeeperClient::OpenedWorkload& workload, const EvidenceTask& task)
      : keeper_(keeper), tools_(tools), workload_(workload), task_(task) {}

  Result<Evidence> run() {
    Evidence evidence;
    evidence.instructions = task_.scan.instructions;
    for (const std::string& function : functions()) {
      auto counted = count_somehow(function);
      if (!counted) return fail(counted.error());
      if (const std::string why = gap(*counted); !why.empty()) {
        evidence.failure = function;
        evidence.failure.append(": ").append(why);
        continue;
      }
      enter_counts(function, **counted, evidence.instructions);
    }
    conclude(evidence);
    return evidence;
  }

 private:
  [[nodiscard]] std::set<std::string> functions() const {
    std::set<std::string> names;
    for (const InstructionRecord& instruction : task_.scan.instructions) {
      names.insert(instruction.function);
    }
    return names;
  }

  Result<Counted> count_somehow(const std::string& function) {
    if (tools_.only_ncu) return count(function, Way::kNcu);
    auto counted = count(function, Way::kInside);
    if (!counted || gap(*counted).empty() || tools_.ncu.program.empty()) return counted;
    spdlog::info("{} is counted by Nsight Compute, since: {}", function, gap(*counted));
    auto by_ncu = count(function, Way::kNcu);
    // Why neither of the two could.
    if (by_ncu && !gap(*by_ncu).empty()) {
      return Counted(tl::unexpected(gap(*counted) + "; by ncu: " + gap(*by_ncu)));
    }
    return by_ncu;
  }

  enum class Way { kInside, kNcu };
  Result<Counted> count(const std::string& function, Way way) {
    if (left_s() <= 0) return Counted(tl::unexpected(std::string("no time was left for it")));
    if (auto prepared = keeper_.prepare(kSet); !prepared) return fail(prepared.error());
    auto counts = way == Way::kNcu
                      ? count_with_ncu(tools_.ncu, workload_, task_, function, left_s())
                      : count_inside(function);
    if (!counts) return Counted(tl::unexpected(counts.error()));
    const auto checked = keeper_.check(kSet, task_.tolerance);
    if (!checked) return fail(checked.error());
    if (!all_right(checked->result.errors)) {
      return Counted(tl::unexpected(std::string("the outputs were wrong while it was counted")));
    }
    return counts;
  }

  Counted count_inside(const std::string& function) {
    auto runner = tools_.start_runner();
    if (!runner) return tl::unexpected(runner.error().what);
    const auto loaded =
        runner->load({task_.binary, task_.problem, workload_.mappings, workload_.fds}, left_s());
    if (!loaded) return tl::unexpected("loading: " + loaded.error().detail);
    if (auto counting = runner->count_function(function, left_s()); !counting) {
      return tl::unexpected(counting.error());
    }
    const auto called = runner->call(left_s());
    if (!called) return tl::unexpected("the counted call: " + called.error().detail);
    return runner->counts(std::max(left_s(), 1.0));
  }

  /// Why these counts do not say how often the function's instructions ran; empty when they do.
  static std::string gap(const Counted& counted) {
    if (!counted) return counted.error();
    if (!counted->failure.empty()) return counted->failure;
    if (counted->launched && counted->instructions.empty()) {
      return "it was launched, and nothing was counted" +
             (counted->other_function.empty() ? std::string() : " but " + counted->other_function);
    }
    if (!counted->launched && counted->graph_launched) {
      return "a graph was launched, in which it may have run unseen";
    }
    return {};
  }

  static void enter_counts(const std::string& function, const FunctionCounts& counts,
                           std::vector<InstructionRecord>& instructions) {
    std::map<std::uint64_t, InstructionCount> by_address;
    for (const InstructionCount& count : counts.instructions) by_address[count.address] = count;
    for (InstructionRecord& instruction : instructions) {
      if (instruction.function != function) continue;
      const auto found = by_address.find(instruction.address);
      if (found == by_address.end()) continue;
      instruction.warp_executions = found->second.warps;
      instruction.thread_executions = found->second.threads;
      instruction.executed = found->second.threads > 0;
    }
  }

  // One instruction that ran is proof, whatever is unknown of the others; their coverage is not.
  void conclude(Evidence& evidence) const {
    const auto& instructions = evidence.instructions;
    const bool any = std::any_of(instructions.begin(), instructions.end(),
                                 [](const InstructionRecord& i) { return i.executed; });
    evidence.state = any                        ? TargetInstruction::kPresent
                     : evidence.failure.empty() ? TargetInstruction::kNotExecuted
                                                : TargetInstruction::kUnknown;
    const Operator* kind = find_operator(task_.problem.op_type);
    if (evidence.failure.empty() && task_.coverage_is_known && kind != nullptr) {
      evidence.flop_coverage = flop_coverage(instructions, kind->flops(task_.problem));
    }
  }

  [[nodiscard]] double left_s() const { return task_.budget_s - seconds_since(start_); }

  KeeperClient& keeper_;
  const CountingTools& tools_;
  const KeeperClient::OpenedWorkload& workload_;
  const EvidenceTask& task_;
  SteadyClock::time_point start_ = SteadyClock::now();
};

}  // namespace

Result<Evidence> count_instructions(KeeperClient& keeper, const CountingTools& tools,
                                    const KeeperClient::OpenedWorkload& workload,
                                    const EvidenceTask& task) {
  return CountingRun(keeper, tools, workload, task).run();
}

}  // namespace ptxbatch
