// What judging on a GPU costs and how far its times can be trusted, printed:
//   aa        the reference as its own candidate, on the paper's five problems: the speedup is 1
//   rate      evaluations a second with state kept on the GPU, and without (a quarter of them)
//   defence   an evaluation against the same calls in one process that is trusted
//   kernels   the packs' kernels: speed, evidence by CUPTI and by Nsight Compute, sanitizers
//   standby   what a runner that stands by saves
// Usage: gpu_judge_benchmark aa|rate|defence|kernels|standby [REPEATS [OP_TYPE...]]
// OP_TYPE: of aa and kernels, instead of all five
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/median.h"
#include "ranks/compile/disassembly.h"
#include "ranks/profile/evaluation.h"
#include "ranks/profile/keeper_client.h"
#include "ranks/profile/timing.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

/// The paper's protocol: 3 trials (backward 1), 10 + 50 calls.
JudgeConfig paper_config(const std::string& scratch) {
  JudgeConfig config = gpu_config(scratch);
  config.protocol = ProtocolSettings{};
  config.budgets = StageBudgets{};
  let_references_be_candidates(config);
  return config;
}

std::unique_ptr<Judge> judge_of(const JudgeConfig& config) {
  auto judge = make_judge(config);
  if (!judge) {
    std::fprintf(stderr, "%s\n", describe(judge.error()).c_str());
    std::exit(1);
  }
  return std::move(*judge);
}

struct Spread {
  std::vector<double> values;
  [[nodiscard]] double worst() const {
    double worst = 0;
    for (const double value : values) worst = std::max(worst, std::fabs(value - 1));
    return worst;
  }
};

void run_aa(const std::string& scratch, int repeats, const std::vector<std::string>& op_types) {
  auto judge = judge_of(paper_config(scratch));
  std::printf("%-16s %10s %10s %8s | %-30s | %-30s\n", "problem", "reference", "candidate",
              "s each", "paired: median, furthest from 1", "cached: median, furthest from 1");
  for (const std::string& op_type : op_types) {
    const Problem problem = paper_problem(op_type);
    const std::string candidate = reference_candidate(scratch, op_type);
    Spread paired;
    Spread cached;
    std::vector<double> seconds;
    Evaluation last;
    for (int i = 0; i < repeats; ++i) {
      last = judge->evaluate(problem, candidate);
      if (last.outcome != Outcome::kCorrect) {
        std::printf("%s: %s\n", op_type.c_str(), report(last).c_str());
        continue;
      }
      paired.values.push_back(last.paired_speedup);
      cached.values.push_back(last.speedup);
      seconds.push_back(last.seconds);
    }
    std::printf("%-16s %7.4f ms %7.4f ms %8.3f | %.4f, %.2f %%                 | %.4f, %.2f %%\n",
                op_type.c_str(), last.reference_latency_ms, last.candidate_latency_ms,
                median(seconds), median(paired.values), 100 * paired.worst(), median(cached.values),
                100 * cached.worst());
    for (const DeviceReading& reading : last.readings) {
      std::printf("    %s: SM %.0f MHz, memory %.0f MHz, %.0f C, %.0f W, throttle bits %lx\n",
                  reading.moment == DeviceReading::Moment::kBeforeTiming ? "before" : "after",
                  reading.sm_clock_mhz, reading.memory_clock_mhz, reading.temperature_c,
                  reading.power_w, static_cast<unsigned long>(reading.throttle_reasons));
    }
    std::fflush(stdout);
  }
}

struct Rate {
  double seconds = 0;
  double kernel_s = 0;  // of candidate and reference, from their latencies and numbers of calls
};

Rate rate_of(const JudgeConfig& config, const Problem& problem, const std::string& candidate,
             int requests) {
  auto judge = judge_of(config);
  if (config.keeps_state) judge->evaluate(problem, candidate);  // makes the state
  const int trials = trials_of(problem, config.protocol);
  const int surprises = std::max(config.protocol.pair_blocks, 1);
  Rate rate;
  const auto start = SteadyClock::now();
  for (int i = 0; i < requests; ++i) {
    const Evaluation evaluation = judge->evaluate(problem, candidate);
    if (evaluation.outcome != Outcome::kCorrect) std::printf("%s\n", report(evaluation).c_str());
    const int candidate_calls =
        trials * (1 + config.protocol.warmups + config.protocol.iterations + surprises);
    const int reference_calls =
        config.protocol.pair_blocks > 0 ? trials * config.protocol.iterations : 0;
    rate.kernel_s += 1e-3 * (candidate_calls * evaluation.candidate_latency_ms +
                             reference_calls * evaluation.reference_latency_ms);
  }
  rate.seconds = seconds_since(start);
  return rate;
}

void print_rate(const char* what, const Rate& rate, int requests) {
  std::printf("%-58s %7.2f s for %d, %6.3f evaluations/s, kernels %4.1f %% of the time\n", what,
              rate.seconds, requests, requests / rate.seconds, 100 * rate.kernel_s / rate.seconds);
  std::fflush(stdout);
}

void run_rate(const std::string& scratch, int requests) {
  const Problem problem = paper_problem("gemm");
  const std::string candidate = gpu_candidate("pack_gemm");
  JudgeConfig config = paper_config(scratch);
  const Rate paired = rate_of(config, problem, candidate, requests);
  print_rate("state kept, reference timed in pairs", paired, requests);
  config.protocol.pair_blocks = 0;
  const Rate cached = rate_of(config, problem, candidate, requests);
  print_rate("state kept, reference timed once (the paper's way)", cached, requests);
  config.keeps_state = false;
  config.runner_stands_by = false;
  const int fresh_requests = std::max(requests / 4, 1);  // they take long
  const Rate fresh = rate_of(config, problem, candidate, fresh_requests);
  print_rate("nothing kept, reference timed each time", fresh, fresh_requests);
  std::printf("kept against not kept: %.2fx\n",
              (fresh.seconds / fresh_requests) / (cached.seconds / requests));
}

/// What an evaluation's calls take where nobody is mistrusted: all in the keeper's process, flushed
/// and timed, one output a trial compared.
double trusted_evaluation_s(const JudgeConfig& config, const Problem& problem) {
  const ProtocolSettings& protocol = config.protocol;
  const int trials = trials_of(problem, protocol);
  DeviceSigns signs;
  KeeperClient keeper({config.keeper_program, config.scratch_folder, {config.target, 0}, 0}, signs);
  if (!keeper.ensure_running()) std::exit(1);
  if (!keeper.open(problem, protocol.input_seed, input_sets_of(trials))) std::exit(1);
  const int calls = 1 + protocol.warmups + protocol.iterations;
  const int reference_calls = protocol.pair_blocks > 0 ? protocol.iterations : 0;
  const auto start = SteadyClock::now();
  for (int trial = 0; trial < trials; ++trial) {
    for (int call = 0; call < calls + reference_calls; ++call) {
      if (!keeper.prepare(trial) || !keeper.time_reference(trial)) std::exit(1);
    }
    if (!keeper.check(trial, {protocol.abs_tolerance, protocol.rel_tolerance})) std::exit(1);
  }
  return seconds_since(start);
}

void run_defence(const std::string& scratch, int repeats) {
  const JudgeConfig config = paper_config(scratch);
  auto judge = judge_of(config);
  for (const char* op_type : {"gemm", "mha_fwd", "mha_bwd_causal"}) {
    const Problem problem = paper_problem(op_type);
    const std::string candidate = gpu_candidate(std::string("pack_") + op_type);
    judge->evaluate(problem, candidate);  // makes the state
    std::vector<double> defended;
    std::vector<double> trusted;
    for (int i = 0; i < repeats; ++i) {
      defended.push_back(judge->evaluate(problem, candidate).seconds);
      trusted.push_back(trusted_evaluation_s(config, problem));
    }
    std::printf("%-16s %.3f s, the same calls in one trusted process %.3f s: %+.0f %%\n", op_type,
                median(defended), median(trusted), 100 * (median(defended) / median(trusted) - 1));
    std::fflush(stdout);
  }
}

Evidence median_evidence(Judge& judge, const Problem& problem, const std::string& candidate,
                         int repeats) {
  const StaticScan scan = scan_binary("hopper", candidate, 60);
  std::vector<double> seconds;
  Evidence last;
  for (int i = 0; i < repeats; ++i) {
    last = judge.collect_evidence(problem, candidate, scan);
    seconds.push_back(last.seconds);
  }
  last.seconds = median(seconds);
  return last;
}

/// The kernels made of the pack's templates: how fast, by which instructions, and what it costs to
/// know: evidence inside the process against Nsight Compute, and the sanitizers.
void run_kernels(const std::string& scratch, int repeats,
                 const std::vector<std::string>& op_types) {
  for (const std::string& op_type : op_types) {
    const Problem problem = paper_problem(op_type);
    const std::string candidate = gpu_candidate("pack_" + op_type);
    JudgeConfig config = paper_config(scratch);
    auto judge = judge_of(config);
    const Evaluation evaluation = judge->evaluate(problem, candidate);
    std::printf("%-16s %s, paired speedup %.3f\n", op_type.c_str(), report(evaluation).c_str(),
                evaluation.paired_speedup);
    for (const bool by_ncu : {false, true}) {
      config.evidence_by_ncu_only = by_ncu;
      judge = judge_of(config);
      judge->evaluate(problem, candidate);  // makes the state
      const Evidence found = median_evidence(*judge, problem, candidate, repeats);
      std::printf("  evidence by %-6s %7.3f s, %s, coverage %.3f %s\n", by_ncu ? "ncu" : "CUPTI",
                  found.seconds, std::string(target_instruction_name(found.state)).c_str(),
                  found.flop_coverage, found.failure.c_str());
    }
    for (const char* tool : {"memcheck", "racecheck", "synccheck"}) {
      config.protocol.sanitizers = {tool};
      judge = judge_of(config);
      const Sanitization found = judge->sanitize(problem, candidate);
      std::printf("  %-18s %7.3f s, %s\n", tool, found.seconds,
                  found.outcome == Sanitization::Outcome::kClean ? "clean" : found.report.c_str());
    }
    std::fflush(stdout);
  }
}

/// `between`: what a turn does before the next one's evaluation, or nothing.
double evaluation_s(Judge& judge, const std::string& candidate, int repeats,
                    const std::function<void()>& between) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto start = SteadyClock::now();
    judge.evaluate(small_gemm(), candidate);
    seconds.push_back(seconds_since(start));
    between();
  }
  return median(seconds);
}

void run_standby(const std::string& scratch, int repeats) {
  const std::string candidate = gpu_candidate("evidence_present");
  const StaticScan scan = scan_binary("hopper", candidate, 60);
  for (const bool standby : {false, true}) {
    JudgeConfig config = gpu_config(scratch);
    config.runner_stands_by = standby;
    auto judge = judge_of(config);
    judge->evaluate(small_gemm(), candidate);  // makes the state
    const double at_once = evaluation_s(*judge, candidate, repeats, [] {});
    const double after_evidence = evaluation_s(*judge, candidate, repeats, [&] {
      judge->collect_evidence(small_gemm(), candidate, scan);
    });
    std::printf("%-28s %.1f ms an evaluation right after another, %.1f ms after evidence\n",
                standby ? "a runner stands by:" : "a runner started on demand:", 1e3 * at_once,
                1e3 * after_evidence);
  }
}

int run(int argc, char** argv) {
  if (!gpu_is_there()) {
    std::puts("there is no NVIDIA GPU on this machine");
    return 0;
  }
  spdlog::set_level(std::getenv("PTXBATCH_DEBUG") != nullptr ? spdlog::level::debug
                                                             : spdlog::level::warn);
  const std::string mode = argc > 1 ? argv[1] : "";
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 0;
  std::vector<std::string> op_types(argv + std::min(argc, 3), argv + argc);
  if (op_types.empty())
    op_types = {"gemm", "mha_fwd", "mha_fwd_causal", "mha_bwd", "mha_bwd_causal"};
  auto scratch = ScratchFolder::make(std::filesystem::temp_directory_path(), "gpu-benchmark-");
  if (!scratch) return 1;
  if (mode == "aa") {
    run_aa(scratch->path(), repeats > 0 ? repeats : 10, op_types);
  } else if (mode == "rate") {
    run_rate(scratch->path(), repeats > 0 ? repeats : 128);
  } else if (mode == "defence") {
    run_defence(scratch->path(), repeats > 0 ? repeats : 3);
  } else if (mode == "kernels") {
    run_kernels(scratch->path(), repeats > 0 ? repeats : 3, op_types);
  } else if (mode == "standby") {
    run_standby(scratch->path(), repeats > 0 ? repeats : 20);
  } else {
    std::puts("usage: gpu_judge_benchmark aa|rate|defence|kernels|standby [REPEATS [OP_TYPE...]]");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  return ptxbatch::run(argc, argv);
}
