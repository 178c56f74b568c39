// What talking to models costs, in one run:
//   streams   1,000 event streams at a time on one thread: CPU and memory of each
//   pipeline  a run of the real ptxbatch whose model calls overlap with compiling and judging,
//             against one that does one thing after the other, with the published mix of outcomes
// Give one of the two words to run it alone; behind `pipeline` a number of trajectories (32).
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <map>

#include "common/file_system.h"
#include "ranks/generate/api_keys.h"
#include "ranks/generate/http_client.h"
#include "ranks/generate/http_loop.h"
#include "ranks/generate/permit_gate.h"
#include "results/results_file.h"
#include "tests/benchmarks/stream_server.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/small_experiment.h"

namespace ptxbatch {
namespace {

// --- streams ---

double resident_kb() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  file >> pages >> resident;
  return resident * 4;
}

void benchmark_streams() {
  constexpr int kStreams = 1000;
  constexpr int kEventsPerSecond = 20;
  constexpr int kSeconds = 10;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const StreamServer server = start_stream_server(kStreams, kEventsPerSecond, kSeconds);
  HttpLoop loop;
  OpenGate gate;
  const ApiKeys keys;
  ModelSpec model;
  model.name = "m";
  model.provider = "openai";
  model.endpoint.model = "m";
  model.endpoint.url = "http://127.0.0.1:" + std::to_string(server.port) + "/v1";
  const auto client = make_http_client(model, {3600, &loop, &gate, &keys});
  const double before_kb = resident_kb();
  const double before_cpu_s = loop.cpu_s();
  const auto start = SteadyClock::now();
  std::atomic<int> left = kStreams;
  std::atomic<int> failed = 0;
  std::atomic<std::int64_t> text_bytes = 0;
  double full_kb = 0;
  std::promise<void> all;
  for (int i = 0; i < kStreams; ++i) {
    ModelRequest request;
    request.messages = {{"user", "Write a kernel."}};
    client->submit(std::move(request), [&](const ModelResult& result) {
      if (result) text_bytes += static_cast<std::int64_t>(result->reply.text.size());
      if (!result) ++failed;
      if (left.fetch_sub(1) == kStreams) full_kb = resident_kb();  // all others are still open
      if (left.load() == 0) all.set_value();
    });
  }
  all.get_future().wait();
  const double wall_s = seconds_since(start);
  const double cpu_s = loop.cpu_s() - before_cpu_s;
  ::waitpid(server.pid, nullptr, 0);
  fmt::print(
      "streams: {} at once, {} events/s each, {:.1f} s, {} failed, {} bytes of text\n"
      "  one thread: {:.1f} % of a core, {:.4f} % a stream (aim: < 1 %)\n"
      "  memory: {:.0f} kB a stream (aim: < 200 kB)\n",
      kStreams, kEventsPerSecond, wall_s, failed.load(), text_bytes.load(), 100 * cpu_s / wall_s,
      100 * cpu_s / wall_s / kStreams, (full_kb - before_kb) / kStreams);
}

// --- pipeline ---

constexpr double kLatencyScale = 1;

// Shares of the published turns: 28.2 % compilation, 24.9 % runtime, 18.2 % numerical, 13.9 %
// correct, 12.5 % kernel time-outs, 1.9 % without code. Of 64 turns in a row.
std::vector<std::string> mixed_labels(int count) {
  const std::vector<std::pair<std::string, int>> shares = {
      {"Compilation error", 18},       {"Runtime error", 16},
      {"Numerical error", 12},         {"Correct", 9},
      {"Kernel Execution Timeout", 8}, {"Extraction error", 1}};
  std::vector<std::string> round;
  for (const auto& [label, number] : shares) round.insert(round.end(), number, label);
  std::vector<std::string> labels;
  // A fixed stride of the round, so that the kinds are spread evenly.
  for (int i = 0; i < count; ++i) labels.push_back(round[static_cast<std::size_t>(i * 27 % 64)]);
  return labels;
}

// The recorded replies of the quickstart by what they are judged as.
std::map<std::string, std::vector<std::string>> replies_by_label() {
  std::map<std::string, std::vector<std::string>> replies;
  for (const auto& [key, judgement] : expected_judgements()) {
    const auto& [problem, trajectory, turn] = key;
    if (problem != "GEMM") continue;
    const auto text = read_text(quickstart_replies() + "/gemm_f32_n192_k160/" + trajectory +
                                "/turn_" + std::to_string(turn) + ".md");
    if (text) replies[judgement.label].push_back(*text);
  }
  return replies;
}

// A comment makes each candidate one of its own, so that nothing is compiled or measured once for
// two of them.
std::string made_unique(std::string reply, int number) {
  const std::size_t fence = reply.rfind("```cpp\n");
  if (fence != std::string::npos) {
    reply.insert(fence + std::strlen("```cpp\n"), fmt::format("// candidate {}\n", number));
  }
  return reply;
}

struct Load {
  int trajectories = 0;
  int turns = 0;
  int generating = 0;
  int profiling = 0;
};

void write_load(const Workspace& workspace, const Load& load) {
  const auto replies = replies_by_label();
  const auto labels = mixed_labels(load.trajectories * load.turns);
  int number = 0;
  for (int trajectory = 0; trajectory < load.trajectories; ++trajectory) {
    for (int turn = 0; turn < load.turns; ++turn, ++number) {
      const auto& choice = replies.at(labels[static_cast<std::size_t>(number)]);
      const std::string& reply = choice[static_cast<std::size_t>(number) % choice.size()];
      const std::string name =
          fmt::format("replies/gemm_f32_n192_k160/exp_{:03}/turn_{}", trajectory, turn);
      workspace.write(name + ".md", made_unique(reply, number));
      // Minutes of thinking, scaled down to seconds: 4 to 12, 8 on average.
      workspace.write(name + ".json",
                      fmt::format("{{\"latency_s\": {}}}", 4 + 8.0 * (number * 37 % 101) / 100));
    }
  }
  SmallExperiment small;
  small.models = recorded_model(workspace.replies(), kLatencyScale);
  small.replicas = load.trajectories;
  small.protocol = fmt::format(
      "turns = {}\nwarmups = 2\niterations = 10\npair_blocks = 1\ntarget_speedup = 100\n",
      load.turns);
  small.rest = fmt::format(
      "[budgets]\nevaluate_s = 2\n[rank]\ngenerating = {}\nprofiling = {}\ncompile_jobs = {}\n",
      load.generating, load.profiling, 1);
  workspace.write(small);
}

struct Measured {
  int turns = 0;
  double elapsed_s = 0;  // from the first work to the last turn
  double model_s = 0;    // sums over the turns
  double compile_s = 0;
  double device_s = 0;
  std::map<std::string, int> labels;
};

Measured run_load(const Load& load) {
  const Workspace workspace;
  write_load(workspace, load);
  const CommandEnd end =
      run(ptxbatch_command({"run", workspace.experiment(), "-o", workspace.results()}), 1800);
  if (end.exit_code != 0) fmt::print("the run ended with {}: {}\n", end.exit_code, end.output);
  Measured measured;
  double start_s = 0;
  double end_s = 0;
  const auto read = read_results_file(workspace.results(), [&](Record&& record) -> Status {
    if (const auto* environment = std::get_if<EnvironmentRecord>(&record)) {
      start_s = environment->started_at_s;
    } else if (const auto* reply = std::get_if<ReplyRecord>(&record)) {
      measured.model_s += reply->latency_s * kLatencyScale;
    } else if (const auto* turn = std::get_if<TurnRecord>(&record)) {
      ++measured.turns;
      ++measured.labels[std::string(label_name(turn->label))];
      measured.compile_s += turn->stages.compile + turn->stages.scan;
      measured.device_s += turn->stages.sanitize + turn->stages.evaluate + turn->stages.evidence;
      end_s = std::max(end_s, turn->finished_at_s);
    }
    return {};
  });
  if (!read) fmt::print("{}\n", describe(read.error()));
  measured.elapsed_s = end_s - start_s;
  return measured;
}

void print_run(const char* name, const Load& load, const Measured& run) {
  fmt::print(
      "{}: {} turns in {:.1f} s, {:.3f} turns/s (model {:.1f} s, compilers {:.1f} s, device "
      "{:.1f} s; {} calls out at most)\n ",
      name, run.turns, run.elapsed_s, run.turns / run.elapsed_s, run.model_s, run.compile_s,
      run.device_s, load.generating);
  for (const auto& [label, count] : run.labels) {
    fmt::print(" {} {:.1f} %", label, 100.0 * count / run.turns);
  }
  fmt::print("\n");
}

void benchmark_pipeline(int trajectories) {
  const Load one_by_one{std::max(1, trajectories / 8), 4, 1, 0};
  const Load pipelined{trajectories, 4, 16, 8};
  const Measured serial = run_load(one_by_one);
  print_run("serial", one_by_one, serial);
  const Measured overlapped = run_load(pipelined);
  print_run("pipelined", pipelined, overlapped);
  const double speedup =
      (overlapped.turns / overlapped.elapsed_s) / (serial.turns / serial.elapsed_s);
  const std::map<std::string, double> bounds = {
      {"device", overlapped.device_s},
      {"compilers", overlapped.compile_s},
      {"models", overlapped.model_s / pipelined.generating}};
  const auto largest =
      std::max_element(bounds.begin(), bounds.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  fmt::print("pipelined / serial: {:.2f}x (aim: >= 2.78x)\n", speedup);
  fmt::print("bound: {:.1f} s of {} = {:.1f} % of the run (aim: >= 90 %)\n", largest->second,
             largest->first, 100 * largest->second / overlapped.elapsed_s);
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "";
  if (which.empty() || which == "streams") ptxbatch::benchmark_streams();
  if (which.empty() || which == "pipeline") {
    ptxbatch::benchmark_pipeline(argc > 2 ? std::atoi(argv[2]) : 32);
  }
  return 0;
}
