// The coordinator with thousands of virtual ranks, on one machine (docs/scale.md):
//   coordinator_simulator --ranks 4096 --trajectories 125000 --output FOLDER
// Prints what the schedule and the coordinator's code achieve.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "common/file_system.h"
#include "common/log.h"
#include "orchestrator/duration_text.h"
#include "tests/simulator/simulation.h"

namespace ptxbatch {
namespace {

struct Options {
  SimulationSettings settings;
  std::string folder;
  bool keep = false;
};

void add_options(CLI::App& app, Options& options) {
  SimulationSettings& s = options.settings;
  app.add_option("--ranks", s.ranks, "working ranks, one GPU each")->capture_default_str();
  app.add_option("--trajectories", s.trajectories)->capture_default_str();
  app.add_option("--turns", s.turns, "of a trajectory")->capture_default_str();
  app.add_option("--workloads", s.workloads, "the paper's five problems, and copies of them")
      ->capture_default_str();
  app.add_option("--generating", s.generating, "model calls of a rank at a time")
      ->capture_default_str();
  app.add_option("--profiling", s.profiling, "further trajectories of a rank")
      ->capture_default_str();
  app.add_option("--compile-jobs", s.rank.compile_jobs, "of a rank")->capture_default_str();
  app.add_option("--tokens-per-second", s.tokens_per_s, "of one model call")->capture_default_str();
  app.add_option("--in-flight", s.model_in_flight, "calls of each model at a time; 0: no limit")
      ->capture_default_str();
  app.add_option("--resident", s.rank.resident_workloads, "workloads that a GPU holds at a time")
      ->capture_default_str();
  app.add_option("--load", s.rank.load_s, "seconds to make a workload resident")
      ->capture_default_str();
  app.add_option("--first-load", s.rank.first_load_s, "the same for a rank's first one")
      ->capture_default_str();
  app.add_option("--checkpoint", s.checkpoint_s, "seconds between rewrites of the results file")
      ->capture_default_str();
  app.add_flag("--affinity,!--no-affinity", s.affinity,
               "prefer a rank whose GPU holds the workload");
  app.add_flag("--texts,!--no-texts", s.rank.with_texts, "replies, sources, feedback, samples");
  app.add_flag("--sync,!--no-sync", s.sync, "fsync the journal, as a real run does");
  app.add_flag("--charge,!--no-charge", s.charge_coordinator,
               "the coordinator's own time counts in the makespan");
  app.add_option("--seed", s.seed)->capture_default_str();
  app.add_option("--output", options.folder, "folder for the journal and the results file")
      ->required();
  app.add_flag("--keep", options.keep, "keep them");
}

double peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double mib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1U << 20U);
}

void print_schedule(const SimulationSettings& settings, const SimulationResult& result) {
  const Bound& bound = binding(result.bounds);
  const double rank_s = settings.ranks * result.makespan_s;
  fmt::print("makespan            {:>12.0f} s  ({}), {:.2f} % above the lower bound\n",
             result.makespan_s, duration_text(result.makespan_s),
             100 * (result.makespan_s / bound.seconds - 1));
  for (const Bound& each : result.bounds) {
    fmt::print("  bound             {:>12.0f} s  {}{}\n", each.seconds, each.name,
               &each == &bound ? "  <- binds" : "");
  }
  fmt::print("GPUs idle           {:>12.1f} %  (workloads made resident {:.2f} %, {} times)\n",
             100 * (1 - result.use.judging_s / rank_s), 100 * result.use.loading_s / rank_s,
             result.use.loads);
  fmt::print("model calls out     {:>12.1f} %  of those that the ranks may have out\n",
             100 * result.use.generating_s / (rank_s * settings.generating));
}

void print_coordinator(const SimulationResult& result) {
  const auto& traffic = result.traffic;
  const auto messages = static_cast<double>(traffic.to_coordinator + traffic.to_ranks);
  const auto turns = static_cast<double>(result.use.turns);
  fmt::print("messages            {:>12.0f}    {:.1f} a turn; {:.0f} in and {:.0f} MiB out\n",
             messages, messages / turns,
             mib(static_cast<std::uint64_t>(traffic.bytes_to_coordinator)),
             mib(static_cast<std::uint64_t>(traffic.bytes_to_ranks)));
  fmt::print("  needed            {:>12.0f} /s on average\n", messages / result.makespan_s);
  fmt::print(
      "  possible          {:>12.0f} /s ({:.0f} turns/s): {:.1f} s of processor time, "
      "{:.2f} % of the makespan\n",
      messages / traffic.coordinator_s, turns / traffic.coordinator_s, traffic.coordinator_s,
      100 * traffic.coordinator_s / result.makespan_s);
  fmt::print("journal             {:>12.1f} MiB, {} syncs in {:.1f} s\n", mib(result.journal_bytes),
             result.syncs, result.sync_s);
  fmt::print(
      "results file        {:>12.1f} MiB, {:.1f} s of processor time ({:.0f} turns/s); {} "
      "checkpoints before\n",
      mib(result.results_bytes), result.finish_s, turns / result.finish_s, result.checkpoints);
  fmt::print("peak memory         {:>12.0f} MiB, the virtual ranks included\n", peak_mib());
  fmt::print("processor time      {:>12.1f} s, the virtual ranks included\n", result.processor_s);
}

int run(Options& options) {
  SimulationSettings& settings = options.settings;
  std::filesystem::create_directories(options.folder);
  settings.results_path = options.folder + "/simulation.h5";
  // It would be resumed, and its makespan would be that of the rest.
  for (const std::string& path : {settings.results_path, journal_path(settings.results_path)}) {
    if (!std::filesystem::exists(path)) continue;
    fmt::print(stderr, "coordinator_simulator: {} is there already; name another folder\n", path);
    return 1;
  }
  start_log(options.folder + "/simulation.log", "simulation");
  const auto result = simulate(settings);
  if (!result) {
    fmt::print(stderr, "coordinator_simulator: {}\n", describe(result.error()));
    return 1;
  }
  if (result->outcome.error) {
    fmt::print(stderr, "coordinator_simulator: {}\n", describe(*result->outcome.error));
  }
  fmt::print("{} ranks, {} trajectories, {} turns, {} workloads, affinity {}, seed {}\n",
             settings.ranks, settings.trajectories, result->use.turns, settings.workloads,
             settings.affinity ? "on" : "off", settings.seed);
  print_schedule(settings, *result);
  print_coordinator(*result);
  if (!options.keep) {
    std::filesystem::remove(settings.results_path);
    std::filesystem::remove(journal_path(settings.results_path));
  }
  return result->outcome.exit_code;
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  ptxbatch::Options options;
  CLI::App app("The coordinator with virtual ranks in virtual time");
  ptxbatch::add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  return ptxbatch::run(options);
}
