#include "ranks/profile/evidence.h"

#include <algorithm>
#include <unordered_set>

namespace ptxbatch {
namespace {

Evidence unknown(const EvidenceTask& task, std::string why) {
  Evidence evidence;
  evidence.state = TargetInstruction::kUnknown;
  evidence.failure = std::move(why);
  evidence.instructions = task.scan.instructions;
  return evidence;
}

/// The tracer failed to say something: never taken for "not executed".
std::string failed_tracer(const PeerFailure& failure) {
  return "the run under breakpoints failed: " + failure.what;
}

PeerResult<bool> set_breakpoints(Peer& tracer, const EvidenceTask& task, Deadline deadline) {
  const auto& instructions = task.scan.instructions;
  for (std::size_t first = 0; first < instructions.size(); first += kMaxAddressesPerMessage) {
    SetBreakpoints request;
    request.binary = task.binary;
    const std::size_t last = std::min(first + kMaxAddressesPerMessage, instructions.size());
    for (std::size_t i = first; i < last; ++i) request.addresses.push_back(instructions[i].address);
    const auto done = tracer.ask<Done>(std::move(request), deadline);
    if (!done) return tl::unexpected(done.error());
  }
  return true;
}

PeerResult<std::unordered_set<std::uint64_t>> collect_hits(Peer& tracer, Deadline deadline) {
  std::unordered_set<std::uint64_t> hits;
  bool more = true;
  for (std::uint64_t reported = 0; more;) {
    const auto answer = tracer.ask<Hits>(ReportHits{0, reported}, deadline);
    if (!answer) return tl::unexpected(answer.error());
    hits.insert(answer->reply.addresses.begin(), answer->reply.addresses.end());
    reported += answer->reply.addresses.size();
    more = answer->reply.more && !answer->reply.addresses.empty();
  }
  return hits;
}

Evidence from_hits(const EvidenceTask& task, const std::unordered_set<std::uint64_t>& hits) {
  Evidence evidence;
  evidence.instructions = task.scan.instructions;
  for (InstructionRecord& instruction : evidence.instructions) {
    instruction.executed = hits.contains(instruction.address);
    instruction.warp_executions = instruction.executed ? 1 : 0;
    instruction.thread_executions = instruction.warp_executions;
  }
  evidence.state = hits.empty() ? TargetInstruction::kNotExecuted : TargetInstruction::kPresent;
  return evidence;
}

}  // namespace

Result<Evidence> run_under_breakpoints(KeeperClient& keeper, RunnerClient& runner,
                                       const KeeperClient::OpenedWorkload& workload,
                                       const EvidenceTask& task) {
  constexpr int kSet = 0;
  const auto start = SteadyClock::now();
  const auto left_s = [&] { return task.budget_s - seconds_since(start); };
  if (auto prepared = keeper.prepare(kSet); !prepared) return fail(prepared.error());
  const auto loaded =
      runner.load({task.binary, task.problem, workload.mappings, workload.fds}, left_s());
  if (!loaded) return unknown(task, "loading under the tracer: " + loaded.error().detail);
  const auto set = set_breakpoints(*runner.tracer(), task, deadline_in(left_s()));
  if (!set) return unknown(task, failed_tracer(set.error()));
  const auto called = runner.call(left_s());
  if (!called) return unknown(task, "the call under breakpoints: " + called.error().detail);
  const auto checked = keeper.check(kSet, task.tolerance);
  if (!checked) return fail(checked.error());
  if (!all_right(checked->result.errors)) {
    return unknown(task, "the outputs were wrong in the call under breakpoints");
  }
  const auto hits = collect_hits(*runner.tracer(), deadline_in(std::max(left_s(), 1.0)));
  if (!hits) return unknown(task, failed_tracer(hits.error()));
  return from_hits(task, *hits);
}

}  // namespace ptxbatch
