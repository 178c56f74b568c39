#include "orchestrator/run.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "common/log.h"
#include "common/process.h"
#include "orchestrator/allocation.h"
#include "orchestrator/coordinator.h"
#include "orchestrator/duration_text.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/heart.h"
#include "orchestrator/in_process_transport.h"
#include "orchestrator/mpi_transport.h"
#include "orchestrator/prepare_run.h"
#include "orchestrator/rank_main.h"
#include "orchestrator/report_error.h"
#include "orchestrator/stop_signal.h"
#include "ranks/generate/api_keys.h"

namespace ptxbatch {
namespace {

// A launcher may have bound this process to one core; its compilers and devices need the others.
void use_all_cores() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  ::sched_setaffinity(0, sizeof all, &all);
}

// A thousand streams at a time need as many descriptors.
void allow_all_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string failed_text(const RunState& state) {
  if (state.failed() == 0) return "";
  return fmt::format(
      "; {} trajectories FAILED and are tried again when the same command is run again",
      state.failed());
}

std::string exhausted_text(const RunState& state) {
  const auto& trajectories = state.trajectories();
  const auto exhausted = std::count_if(
      trajectories.begin(), trajectories.end(),
      [](const TrajectoryState& each) { return each.end == TrajectoryEnd::kContextExhausted; });
  if (exhausted == 0) return "";
  return fmt::format("; {} ended since the model's context was exhausted", exhausted);
}

int conclude(const RunOptions& options, const Coordinator::Outcome& outcome,
             const RunStore& store) {
  const RunState& state = store.state();
  if (outcome.error) report(*outcome.error);
  if (outcome.exit_code == kExitResumable) {
    fmt::print(stderr, "ptxbatch: stopped early; {} turns are safe in {}.{}\n", store.safe_turns(),
               options.output,
               state.limit_reached() ? "" : " Run the same command again to go on.");
  } else if (outcome.exit_code != kExitError) {
    fmt::print("{}: {} trajectories, {} turns, {} correct{}{}.\n", options.output, state.ended(),
               state.turns(), state.labels()[static_cast<std::size_t>(Label::kCorrect)],
               exhausted_text(state), failed_text(state));
  }
  return outcome.exit_code;
}

// Signs of life for the ranks, as long as this exists.
class CoordinatorHeart {
 public:
  explicit CoordinatorHeart(Transport& transport)
      : heart_(RankSettings{}.silence_s / kBeatsOfSilence, [&transport] {
          for (const int rank : transport.ranks()) {
            transport.send(rank, encode_message(CoordinatorMessage(Heartbeat{})));
          }
        }) {}
  void set_silence(double silence_s) { heart_.set_interval(silence_s / kBeatsOfSilence); }

 private:
  Heart heart_;
};

struct CoordinatorEnd {
  int exit_code = 0;
  bool ranks_left_behind = false;
};

CoordinatorEnd coordinate(const RunOptions& options, Prepared& prepared, Transport& transport,
                          CoordinatorHeart& heart) {
  heart.set_silence(prepared.experiment.rank.silence_s);
  Progress progress(prepared.experiment.protocol.turns);
  const RunConditions conditions{options.allow_unfit, end_of_allocation()};
  if (conditions.allocation_end) {
    spdlog::info("the allocation ends in {}",
                 duration_text(-seconds_since(*conditions.allocation_end)));
  }
  Coordinator coordinator(prepared.experiment, *prepared.store, transport, progress, system_time(),
                          WorkQueue(), conditions);
  const Coordinator::Outcome outcome = coordinator.run();
  return {conclude(options, outcome, *prepared.store), outcome.ranks_left_behind};
}

// Threads whose work was abandoned may still run; leaving at once ends them and their children.
[[noreturn]] void leave_at_once(int exit_code) {
  std::fflush(nullptr);
  kill_descendants();
  std::_Exit(exit_code);
}

int run_in_one_process(const RunOptions& options) {
  auto prepared = prepare_run(options, options.ranks);
  if (!prepared) return prepared.error();
  InProcessTransport transport(options.ranks);
  // Before there are threads, or children that would inherit them.
  const auto keys =
      std::make_shared<const ApiKeys>(ApiKeys::take_from_environment(prepared->experiment.models));
  std::optional<CoordinatorHeart> heart(std::in_place, transport);
  std::vector<std::thread> ranks;
  std::atomic<bool> all_drained = true;
  for (const int rank : transport.ranks()) {
    ranks.emplace_back([&options, &transport, &all_drained, keys, rank] {
      const RankEnd end{rank, options.ranks,
                        [&transport, rank](std::string bytes) {
                          transport.send_to_coordinator(rank, std::move(bytes));
                        },
                        [&transport, rank] { return transport.receive_at_rank(rank); },
                        [&transport, rank] { transport.close_rank(rank); },
                        // It is in this very process: whatever is left is beyond help.
                        [] { leave_at_once(kExitResumable); }, keys};
      if (!run_rank(end)) all_drained = false;
    });
  }
  const CoordinatorEnd end = coordinate(options, *prepared, transport, *heart);
  if (end.ranks_left_behind) {
    prepared->store.reset();
    leave_at_once(end.exit_code);
  }
  for (std::thread& rank : ranks) rank.join();
  heart.reset();
  if (!all_drained) {
    prepared->store.reset();
    leave_at_once(end.exit_code);
  }
  return end.exit_code;
}

// What the coordinator says last to ranks that it cannot use: nothing will run.
CoordinatorEnd dismiss_ranks(Transport& transport, int exit_code) {
  for (const int rank : transport.ranks()) {
    transport.send(rank, encode_message(Refusal{"nothing to run"}));
  }
  CoordinatorEnd end{exit_code, false};
  const Deadline deadline = deadline_in(60);
  for (std::size_t left = transport.ranks().size(); left > 0;) {
    auto received = transport.receive(deadline);
    end.ranks_left_behind = !received.has_value();
    if (!received) break;
    auto message = decode_rank_message(received->bytes);
    if (message && std::holds_alternative<Goodbye>(*message)) --left;
  }
  for (const int rank : transport.ranks()) transport.send(rank, encode_message(Farewell{}));
  return end;
}

// MPI stays on this thread; the coordinator works on another.
int coordinate_over_mpi(const RunOptions& options, const MpiSession& session) {
  MpiLink link;
  MpiTransport transport(session.size(), link);
  CoordinatorEnd end;
  std::atomic<bool> finished = false;
  std::thread coordinator([&] {
    CoordinatorHeart heart(transport);
    auto prepared = prepare_run(options, session.size() - 1);
    end = prepared ? coordinate(options, *prepared, transport, heart)
                   : dismiss_ranks(transport, prepared.error());
    finished = true;
  });
  link.pump([&](RankBytes received) { transport.deliver(std::move(received)); }, finished);
  coordinator.join();
  // A rank that is not there would be waited for without end.
  if (end.ranks_left_behind) MpiSession::abandon(end.exit_code);
  return end.exit_code;
}

// MPI stays on this thread; the rank works on another.
bool work_over_mpi(const MpiSession& session) {
  install_stop_signals(false);
  MpiLink link;
  MessageQueue<std::string> incoming;
  std::atomic<bool> finished = false;
  bool drained = true;
  std::thread worker([&] {
    drained = run_rank({session.rank(), session.size_on_this_host(),
                        [&](std::string bytes) { link.send(0, std::move(bytes)); },
                        [&] { return incoming.pop(); }, [&] { incoming.close(); },
                        [rank = session.rank()] {
                          spdlog::error(
                              "rank {} hears nothing of the coordinator any more and ends; the "
                              "same command goes on from the journal",
                              rank);
                          leave_at_once(kExitResumable);
                        }});
    finished = true;
  });
  link.pump([&](RankBytes received) { incoming.push(std::move(received.bytes)); }, finished);
  worker.join();
  return drained;
}

// Everybody has said farewell, so that ending together takes no time, unless somebody is gone.
void end_session(std::optional<MpiSession>& session, int exit_code) {
  constexpr double kWithinS = 60;
  const Heart out_of_patience(kWithinS, [exit_code] { leave_at_once(exit_code); });
  session.reset();
}

}  // namespace

int run_experiment(const RunOptions& options) {
  // Keys in this process's environment must not be readable by candidates through /proc.
  ::prctl(PR_SET_DUMPABLE, 0);
  use_all_cores();
  allow_all_descriptors();
  install_stop_signals(true);
  // As nvidia-smi numbers GPUs, by which ranks are told which one is theirs.
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  std::optional<MpiSession> session;
  if (started_by_mpi_launcher()) session.emplace();
  const auto step = step_of_this_process();
  if (auto joined = check_launch(step, session ? session->size() : 1); !joined) {
    if (step->task == 0) report(joined.error());
    return kExitError;
  }
  start_log(log_path(options), fmt::format("rank {}", session ? session->rank() : 0));
  if (!session) return run_in_one_process(options);
  if (session->size() == 1) return run_in_one_process(options);
  if (session->rank() == 0) {
    const int exit_code = coordinate_over_mpi(options, *session);
    end_session(session, exit_code);
    return exit_code;
  }
  const bool drained = work_over_mpi(*session);
  end_session(session, kExitDone);
  if (!drained) leave_at_once(kExitDone);
  return kExitDone;
}

}  // namespace ptxbatch
