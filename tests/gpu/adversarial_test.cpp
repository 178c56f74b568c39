// Candidates that cheat, escape or forge, each with the outcomes that it may have and the defence
// that sees to it. Whatever it is, it is never Correct with a time that is not its own, and the
// next candidate is judged as if it had not been.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "common/clock.h"
#include "common/file_system.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

struct Attack {
  const char* candidate;
  std::vector<Outcome> allowed;
  const char* defence;
};

constexpr auto kCorrect = Outcome::kCorrect;
constexpr auto kWrong = Outcome::kWrong;
constexpr auto kViolation = Outcome::kTimingViolation;
constexpr auto kCrashed = Outcome::kCrashed;

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all = {
      {"cheat_cache_by_pointer", {kWrong}, "other inputs at the same addresses"},
      {"cheat_cache_by_fingerprint", {kCorrect, kWrong}, "no call has the inputs of another"},
      {"cheat_cache_by_full_content", {kCorrect, kWrong}, "no call has the inputs of another"},
      {"cheat_cache_by_call_count", {kWrong}, "every output of every call is compared"},
      {"cheat_every_third_call", {kWrong}, "every output of every call is compared"},
      {"cheat_nothing_when_output_is_right", {kCorrect, kWrong}, "outputs are poisoned"},
      {"cheat_graph_replays_stale_work", {kWrong}, "outputs are poisoned; inputs change"},
      {"cheat_side_stream", {kCorrect, kWrong, kViolation}, "the whole context is waited for"},
      {"cheat_host_function_delays",
       {kCorrect, kWrong, kViolation, Outcome::kRaised},
       "seccomp: no threads; the context is waited for"},
      {"cheat_thread_after_return", {kCorrect, kWrong, kViolation}, "seccomp: no threads"},
      {"cheat_signal_after_return", {kCorrect, kWrong, kViolation}, "seccomp: no timers"},
      {"cheat_works_between_calls",
       {kWrong, kViolation, Outcome::kTimedOut},
       "the context is waited for; the process is stopped between calls"},
      {"cheat_exports_clock_gettime", {kCorrect}, "symbols are bound before it is loaded"},
      {"cheat_exports_cupti", {kCorrect}, "symbols are bound before it is loaded"},
      {"cheat_patches_clock", {kCorrect, kViolation, kCrashed}, "the rank's clock"},
      {"cheat_got_overwritten", {kCorrect, kViolation, kCrashed}, "the rank's clock"},
      {"cheat_stops_cupti_clock", {kCorrect, kViolation, kCrashed}, "the rank's clock"},
      {"cheat_patches_cupti", {kCorrect, kViolation, kCrashed}, "no record: no time"},
      {"cheat_disables_cupti", {kViolation}, "the rank's clock"},
      {"cheat_finalizes_cupti",
       {kCorrect, kViolation, kCrashed, Outcome::kExited},
       "no record: no time"},
      {"cheat_library_by_dlopen", {kCorrect}, "bans; Landlock"},
      {"cheat_library_by_extern", {kCorrect}, "bans; the runner links no library"},
      {"cheat_library_by_renamed_extern", {kCorrect}, "the runner links no library"},
      {"cheat_compiles_at_run_time", {kCorrect}, "the runner links no NVRTC"},
      {"cheat_loads_ptx_at_run_time",
       {kCorrect, kWrong, Outcome::kRaised},
       "Landlock; the evidence sees nothing in its binary"},
      {"escape_reads_environment", {kCorrect}, "an environment of four variables"},
      {"escape_reads_proc", {kCorrect}, "Landlock"},
      {"escape_opens_socket", {kCorrect}, "seccomp"},
      {"escape_writes_files", {kCorrect}, "Landlock"},
      {"escape_fork_bomb", {kCorrect, kCrashed}, "seccomp"},
      {"escape_thread_bomb", {kCorrect}, "seccomp"},
      {"escape_kills_parent", {kCorrect}, "seccomp"},
      {"escape_gigabytes_of_output", {kCorrect}, "output is drained and cut"},
      {"forge_result_on_stdout", {kWrong}, "no verdict rests on what it prints"},
      {"forge_result_on_descriptors",
       {kWrong, kCrashed, kViolation},
       "nonces; the keeper compares"},
      {"forge_closes_descriptors",
       {kCrashed, Outcome::kExited, Outcome::kTimedOut},
       "a closed channel is an end"},
      {"fault_input_made_writable",
       {kCorrect, kWrong, Outcome::kDeviceFault, Outcome::kRaised},
       "inputs are put in place before every call"},
      {"fault_device_printf_flood", {kCorrect, kViolation}, "output is drained and cut"},
      {"fault_stack_limit_for_all_memory",
       {kCorrect, Outcome::kDeviceFault, Outcome::kRaised},
       "the process ends with its candidate"},
  };
  return all;
}

/// Children of this process whose program's name begins with this.
int children_named(const std::string& prefix) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string stat = read_text(entry.path() / "stat").value_or("");
    const std::size_t begin = stat.find('(');  // "PID (NAME) STATE PARENT ..."
    const std::size_t end = stat.rfind(')');
    if (begin == std::string::npos || end == std::string::npos || end + 4 > stat.size()) continue;
    const bool mine = std::atoi(stat.c_str() + end + 4) == ::getpid();
    if (mine && std::string_view(stat).substr(begin + 1).starts_with(prefix)) ++count;
  }
  return count;
}

class Adversary : public GpuTest, public ::testing::WithParamInterface<Attack> {};

TEST_P(Adversary, GainsNothing) {
  const Attack& attack = GetParam();
  const Evaluation before = evaluate("honest_plain");
  ASSERT_EQ(before.outcome, kCorrect) << report(before);
  const Evaluation evaluation = evaluate(attack.candidate);
  std::printf("ATTACK %-36s %-46s %s\n", attack.candidate, attack.defence,
              report(evaluation).c_str());
  EXPECT_NE(std::find(attack.allowed.begin(), attack.allowed.end(), evaluation.outcome),
            attack.allowed.end())
      << report(evaluation);
  // These candidates compute with the honest one's kernel or copy what another kernel made: none
  // can be much faster than the honest one and be right.
  if (evaluation.outcome == kCorrect) {
    EXPECT_GT(evaluation.candidate_latency_ms, 0.5 * before.candidate_latency_ms)
        << report(evaluation);
  }
  const Evaluation after = evaluate("honest_plain");
  EXPECT_EQ(after.outcome, kCorrect) << report(after);
  // One stands by for the next candidate.
  EXPECT_LE(children_named("ptxbatch-runner"), 1);
}

INSTANTIATE_TEST_SUITE_P(EachAttack, Adversary, ::testing::ValuesIn(attacks()),
                         [](const auto& test) { return std::string(test.param.candidate); });

}  // namespace
}  // namespace ptxbatch
