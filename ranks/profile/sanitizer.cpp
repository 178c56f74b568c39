#include "ranks/profile/sanitizer.h"

#include <unistd.h>

#include "common/file_system.h"
#include "common/scratch_folder.h"
#include "ranks/profile/sanitizer_report.h"

namespace ptxbatch {
namespace {

using Outcome = Sanitization::Outcome;

constexpr int kSet = 0;
constexpr int kFaultExitCode = 99;
constexpr double kEndWithinS = 60;  // for the tool, once its runner has nothing left to do
// The tool and its runner find each other on the first free one of these ports. Each rank of a host
// has others: ranks' process ids follow one another.
constexpr int kFirstPort = 49152;
constexpr int kPortsPerRank = 16;
constexpr int kRanksApart = 1000;

Sanitization tool_failed(const std::string& tool, const std::string& what) {
  return {Outcome::kToolFailed, tool + " failed: " + what, 0};
}

// API calls that fail are not the candidate's errors: asking for what is not there is allowed.
std::vector<std::string> command(const SanitizeTask& task, const std::string& report) {
  return {task.program,
          "--tool",
          task.tool,
          "--target-processes",
          "application-only",
          "--port",
          std::to_string(kFirstPort + ::getpid() % kRanksApart * kPortsPerRank),
          "--max-connections",
          std::to_string(kPortsPerRank),
          "--error-exitcode",
          std::to_string(kFaultExitCode),
          "--check-exit-code",
          "no",
          "--report-api-errors",
          "no",
          "--show-backtrace",
          "device",
          "--print-limit",
          "20",
          "--xml",
          "--save",
          report};
}

Sanitization conclude(const SanitizeTask& task, const ProcessEnd& end, const std::string& report,
                      const std::string& said) {
  if (end.kind == ProcessEnd::Kind::kTimedOut) return tool_failed(task.tool, "it did not end");
  if (end.ok()) return {Outcome::kClean, {}, 0};
  if (end.kind != ProcessEnd::Kind::kExited || end.exit_code != kFaultExitCode) {
    return tool_failed(task.tool, "it " + describe_end(end) + (said.empty() ? "" : ": " + said));
  }
  const auto xml = read_text(report);
  if (!xml) return tool_failed(task.tool, "it left no report: " + xml.error().what);
  auto text = sanitizer_report_text(*xml);
  if (!text) return tool_failed(task.tool, "its report cannot be read: " + text.error().what);
  return {Outcome::kFault, task.tool + ":\n" + *text, 0};
}

Sanitization call_under_tool(const KeeperClient::OpenedWorkload& workload, const SanitizeTask& task,
                             const std::string& report) {
  RunnerSpec spec = task.runner;
  spec.tool = command(task, report);
  auto runner = RunnerClient::start(spec);
  if (!runner) return tool_failed(task.tool, runner.error().what);
  if (auto ready = runner->wait_ready(task.budget_s); !ready) {
    return tool_failed(task.tool, ready.error().what);
  }
  const auto start = SteadyClock::now();
  auto step =
      runner->load({task.binary, task.problem, workload.mappings, workload.fds}, task.budget_s);
  if (step) step = runner->call(task.budget_s - seconds_since(start));
  if (!step && step.error().outcome == Evaluation::Outcome::kTimedOut) {
    return {Outcome::kTimedOut, task.tool, 0};
  }
  const ProcessEnd end = runner->finish(kEndWithinS);
  // A tool that has seen nothing bad in a candidate that did not run has seen nothing.
  if (end.ok() && !step) return tool_failed(task.tool, step.error().detail);
  return conclude(task, end, report, runner->output());
}

}  // namespace

Result<Sanitization> sanitize_candidate(KeeperClient& keeper,
                                        const KeeperClient::OpenedWorkload& workload,
                                        const SanitizeTask& task) {
  const auto start = SteadyClock::now();
  // The runner copies the inputs when it loads.
  if (auto prepared = keeper.prepare(kSet); !prepared) return fail(prepared.error());
  auto folder = ScratchFolder::make(task.runner.scratch_folder, "sanitizer-");
  if (!folder) return fail(folder.error());
  Sanitization result = call_under_tool(workload, task, folder->path() + "/report.xml");
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace ptxbatch
