#include "ranks/profile/runner_client.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <thread>

namespace ptxbatch {
namespace {

using Outcome = Evaluation::Outcome;

constexpr double kStopWithinS = 10;
constexpr auto kFirstNap = std::chrono::microseconds(20);
constexpr auto kLongestNap = std::chrono::microseconds(2000);
constexpr int kTracerFd = Peer::kChannelFd + 1;
// Beside the workload's own tensors.
constexpr std::uint64_t kMemoryForCandidateBytes = 4ULL << 30U;
// What a tool's part in the process keeps; racecheck's over the paper's backward pass is the most.
constexpr std::uint64_t kMemoryForToolBytes = 64ULL << 30U;

ProcessSpec process_for(const RunnerSpec& spec, const std::string& scratch) {
  ProcessSpec process = device_process(spec.place, spec.program, Peer::kChannelFd, scratch);
  process.argv.insert(process.argv.begin(), spec.tool.begin(), spec.tool.end());
  process.limits.file_size_bytes = 16U << 20U;
  process.limits.open_files = 256;
  process.output_cap_bytes = 16U << 10U;  // of the candidate's printing, which nobody reads
  return process;
}

std::uint64_t memory_limit_bytes(const std::vector<TensorMapping>& mappings, bool under_tool) {
  std::uint64_t bytes = kMemoryForCandidateBytes + (under_tool ? kMemoryForToolBytes : 0);
  for (const TensorMapping& mapping : mappings) bytes += 4 * mapping.mapped_bytes;
  return bytes;
}

/// TVM-FFI raises TypeError when the number or the types of the arguments are not those of `run`.
CandidateEnd end_by_exception(const RunReturned& returned) {
  const bool rejected = returned.error_kind == "TypeError";
  return {rejected ? Outcome::kWrongInterface : Outcome::kRaised,
          returned.error_kind + ": " + returned.error_text, 0, 0, ""};
}

}  // namespace

Result<RunnerClient> RunnerClient::start(const RunnerSpec& spec) {
  auto scratch = ScratchFolder::make(spec.scratch_folder, "runner-");
  if (!scratch) return fail(scratch.error());
  auto runner = Peer::start(process_for(spec, scratch->path()));
  if (!runner) return fail(runner.error());
  return RunnerClient(spec, std::move(*scratch), std::move(*runner), std::nullopt);
}

Result<RunnerClient> RunnerClient::start_traced(const RunnerSpec& spec,
                                                const std::string& tracer_program) {
  auto scratch = ScratchFolder::make(spec.scratch_folder, "runner-");
  if (!scratch) return fail(scratch.error());
  auto runner_ends = Channel::make_pair();
  if (!runner_ends) return fail(runner_ends.error());
  auto tracer_ends = Channel::make_pair();
  if (!tracer_ends) return fail(tracer_ends.error());
  ProcessSpec process = process_for(spec, scratch->path());
  process.argv.insert(process.argv.begin(), {tracer_program, std::to_string(kTracerFd)});
  process.passed_fds = {{runner_ends->second.fd(), Peer::kChannelFd},
                        {tracer_ends->second.fd(), kTracerFd}};
  auto started = ChildProcess::start(process);
  if (!started) return fail(started.error());
  auto child = std::make_shared<ChildProcess>(std::move(*started));
  return RunnerClient(spec, std::move(*scratch), Peer(child, std::move(runner_ends->first)),
                      Peer(child, std::move(tracer_ends->first)));
}

Status RunnerClient::wait_ready(double within_s) {
  // Asked rather than told: one that became ready and then died does not answer.
  const auto ready = runner_.ask<Done>(AskReady{}, deadline_in(within_s));
  if (ready) return {};
  std::string said = runner_.child().output();
  if (!said.empty()) said = ": " + said;
  return fail(ErrorKind::kSystem, "the runner did not start: " + ready.error().what + said);
}

tl::expected<RunnerClient::Step, CandidateEnd> RunnerClient::load(const Load& load,
                                                                  double budget_s) {
  LoadCandidate request;
  request.binary = load.binary;
  request.scratch = scratch_.path();
  request.readable = readable_;
  request.memory_limit_bytes = memory_limit_bytes(load.mappings, under_tool_);
  request.inputs = load.problem.inputs;
  request.outputs = load.problem.outputs;
  request.mappings = load.mappings;
  std::vector<int> fds;
  for (const UniqueFd& fd : load.fds) fds.push_back(fd.get());
  const auto answer = runner_.ask<CandidateLoaded>(std::move(request), deadline_in(budget_s), fds);
  if (!answer) {
    CandidateEnd end = end_of(answer.error());
    // What the runner could not do before the candidate came in is no fault of the candidate.
    if (answer.error().kind == PeerFailure::Kind::kRefused) end.outcome = Outcome::kServiceFailure;
    return tl::unexpected(std::move(end));
  }
  stop();
  sandbox_notice_ = answer->reply.notice;
  if (!answer->reply.loaded) {
    return tl::unexpected(CandidateEnd{Outcome::kWrongInterface, answer->reply.failure, 0, 0, ""});
  }
  return Step{answer->seconds, 0, "", false};
}

tl::expected<RunnerClient::Step, CandidateEnd> RunnerClient::call(double budget_s) {
  go_on();
  const auto answer = runner_.ask<RunReturned>(CallRun{}, deadline_in(budget_s));
  if (!answer) return tl::unexpected(end_of(answer.error()));
  stop();
  const RunReturned& returned = answer->reply;
  if (returned.device_error != 0) {
    return tl::unexpected(CandidateEnd{Outcome::kDeviceFault, returned.device_fault, 0, 0, "",
                                       static_cast<int>(returned.device_error)});
  }
  if (returned.raised) return tl::unexpected(end_by_exception(returned));
  return Step{answer->seconds, returned.claimed_s, returned.violation, returned.incomplete};
}

tl::expected<void, std::string> RunnerClient::count_function(const std::string& function,
                                                             double budget_s) {
  go_on();
  CountFunction request;
  request.function = function;
  const auto done = runner_.ask<Done>(std::move(request), deadline_in(budget_s));
  if (!done) return tl::unexpected(done.error().what);
  stop();
  return {};
}

tl::expected<FunctionCounts, std::string> RunnerClient::counts(double budget_s) {
  go_on();
  FunctionCounts all;
  for (bool more = true; more;) {
    ReportCounts request;
    request.first = all.instructions.size();
    auto answer = runner_.ask<Counts>(request, deadline_in(budget_s));
    if (!answer) return tl::unexpected(answer.error().what);
    FunctionCounts& part = answer->reply.counts;
    more = answer->reply.more && !part.instructions.empty();
    part.instructions.insert(part.instructions.begin(), all.instructions.begin(),
                             all.instructions.end());
    all = std::move(part);
  }
  stop();
  return all;
}

ProcessEnd RunnerClient::finish(double budget_s) {
  go_on();
  runner_.hang_up();
  return runner_.child().wait(deadline_in(budget_s));
}

// Under a tool the process that we started is the tool, and its runner is never timed. One that
// hangs in the kernel does not stop: what is asked of it next will find that out.
void RunnerClient::stop() const {
  if (under_tool_) return;
  ::kill(pid(), SIGSTOP);
  const Deadline deadline = deadline_in(kStopWithinS);
  auto nap = kFirstNap;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG) ==
             0 &&
         info.si_pid == 0 && SteadyClock::now() < deadline) {
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, kLongestNap);
  }
}

void RunnerClient::go_on() const {
  if (!under_tool_) ::kill(pid(), SIGCONT);
}

CandidateEnd RunnerClient::end_of(const PeerFailure& failure) const {
  const bool exited = failure.end.kind == ProcessEnd::Kind::kExited;
  switch (failure.kind) {
    case PeerFailure::Kind::kTimedOut:
      return {Outcome::kTimedOut, "the call did not return within the budget", 0, 0, ""};
    case PeerFailure::Kind::kEnded:
      return {exited ? Outcome::kExited : Outcome::kCrashed, failure.what, failure.end.signal,
              failure.end.exit_code, runner_.fault_place()};
    case PeerFailure::Kind::kTampered:
    case PeerFailure::Kind::kRefused:
      return {Outcome::kCrashed, "the candidate interfered with its runner: " + failure.what,
              SIGKILL, 0, ""};
  }
  return {};
}

}  // namespace ptxbatch
