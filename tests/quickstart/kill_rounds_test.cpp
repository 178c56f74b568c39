// Rounds of SIGKILL at random moments to a random process of a run, or to all of them: afterwards
// the same command ends as an undisturbed run does. Nothing that was on disk at a kill is lost or
// changed, nothing is there twice.
//
// PTXBATCH_KILL_ROUNDS: how many (6); PTXBATCH_KILL_SEED: of the random choices (1), so that a
// round can be had again (as far as moments in a running program can).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <set>

#include "common/clock.h"
#include "common/file_system.h"
#include "results/journal.h"
#include "results/record_fingerprint.h"
#include "results/results_file.h"
#include "tests/quickstart/command.h"
#include "tests/quickstart/expected_turns.h"
#include "tests/quickstart/journal_watch.h"
#include "tests/quickstart/process_tree.h"
#include "tests/quickstart/run_processes.h"
#include "tests/quickstart/small_experiment.h"
#include "tests/quickstart/table_rows.h"

namespace ptxbatch {
namespace {

constexpr int kTrajectories = 2;
constexpr int kTurns = 4;
constexpr int kMostKillsInARound = 3;

int setting(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : otherwise;
}

enum class Victim { kCoordinator, kRank, kKeeper, kRunner, kCompiler, kLauncher, kEverything };
constexpr std::array<const char*, 7> kVictimNames = {
    "coordinator", "rank", "keeper", "runner", "compiler", "launcher", "everything"};

std::vector<Process> find(Victim victim, const std::vector<Process>& tree,
                          const std::string& results) {
  switch (victim) {
    case Victim::kCoordinator:
      return coordinator(tree, results);
    case Victim::kRank:
      return working_ranks(tree, results);
    case Victim::kKeeper:
      return named(tree, "ptxbatch-keeper");
    case Victim::kRunner:
      return named(tree, "ptxbatch-runner");
    case Victim::kCompiler:
      return compilers(tree);
    case Victim::kLauncher:
      return {tree.front()};
    case Victim::kEverything:
      return tree;
  }
  return {};
}

// The replies of the quickstart that are worth a compilation, and prose between them.
void write_experiment(const Workspace& workspace) {
  SmallExperiment small;
  small.replicas = kTrajectories;
  small.models = recorded_model(workspace.replies());
  workspace.write(small);
  add_prose_replies(workspace, kTrajectories, kTurns);
  const auto take = [&](int trajectory, int turn, const std::string& reply) {
    const auto text = read_text(quickstart_replies() + "/gemm_f32_n192_k160/" + reply);
    workspace.add_reply(trajectory, turn, text.value());
  };
  take(0, 1, "exp_000/turn_7.md");  // correct
  take(1, 2, "exp_001/turn_0.md");  // correct, without the instruction
}

/// What the journal holds of turns and replies, and the results file where there is no journal.
std::set<std::pair<std::uint64_t, std::uint64_t>> finished_work(const std::string& results) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> work;
  const auto take = [&](Record&& record) -> Status {
    if (std::holds_alternative<TurnRecord>(record) || std::holds_alternative<ReplyRecord>(record)) {
      const Fingerprint print = fingerprint(record);
      work.emplace(print.high, print.low);
    }
    return {};
  };
  if (real_file_system().exists(results + ".journal")) {
    static_cast<void>(read_journal(results + ".journal", take));
  } else if (real_file_system().exists(results)) {
    static_cast<void>(read_results_file(results, take));
  }
  return work;
}

struct Undisturbed {
  Judgements judgements;
  Cells table;
  double seconds = 0;
};

Cells table_of(const std::string& results) {
  return printed_cells(ptxbatch({"tables", results, "--format", "csv"}).output,
                       "turn_correctness_pct");
}

Undisturbed run_undisturbed() {
  const Workspace workspace;
  write_experiment(workspace);
  const auto begun = SteadyClock::now();
  const CommandEnd end = ptxbatch({"run", workspace.experiment(), "-o", workspace.results()});
  EXPECT_EQ(end.exit_code, 0) << end.output;
  return {read_run(workspace.results()).judgements, table_of(workspace.results()),
          seconds_since(begun)};
}

class Round {
 public:
  Round(const Undisturbed& undisturbed, std::minstd_rand& random)
      : undisturbed_(undisturbed), random_(random) {
    write_experiment(workspace_);
  }

  /// What happened, in one line.
  std::string play() {
    const int kills = 1 + draw(kMostKillsInARound);
    while (kills_ < kills && !complete_) {
      disturb();
      if (testing::Test::HasFatalFailure()) return story_;
      if (draw(4) == 0) recover();
    }
    go_on_to_the_end();
    return story_;
  }
  [[nodiscard]] int kills() const { return kills_; }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  ProcessSpec command(bool over_mpi) const {
    const std::vector<std::string> arguments = {"run", workspace_.experiment(), "-o", results_};
    return over_mpi ? mpi_command(3, arguments) : ptxbatch_command(arguments);
  }

  // At a random moment of what is left, or as soon after it as there is such a process.
  void disturb() {
    const bool over_mpi = draw(2) == 0;
    auto victim = static_cast<Victim>(draw(static_cast<int>(kVictimNames.size())));
    const bool is_one_process = victim == Victim::kRank || victim == Victim::kLauncher;
    if (is_one_process && !over_mpi) victim = Victim::kCoordinator;
    const double done = static_cast<double>(kept_.size()) / (2 * kTrajectories * kTurns);
    const double delay_s = undisturbed_.seconds * (1 - done) * draw(1000) / 1000.0;
    JournalWatch watch(results_);
    const auto begun = SteadyClock::now();
    ChildProcess run = start(command(over_mpi));
    std::vector<Process> victims;
    const bool found = watch.wait_until(run, [&] {
      if (seconds_since(begun) < delay_s) return false;
      victims = find(victim, process_tree(run.pid()), results_);
      return !victims.empty();
    });
    const ProcessHandles everything(process_tree(run.pid()));
    if (found && victim != Victim::kEverything) {
      victims = {victims[static_cast<std::size_t>(draw(static_cast<int>(victims.size())))]};
    }
    const double at_s = seconds_since(begun);
    if (found) ProcessHandles(victims).kill_all();
    kills_ += found ? 1 : 0;
    const CommandEnd end = finish(run);
    complete_ = end.exit_code == 0;
    ASSERT_TRUE(everything.wait_for_end(deadline_in(60))) << "processes outlive their run";
    const auto before = kept_.size();
    keep_in_mind();
    story_ += fmt::format("{} {} at {:.2f} s -> {}, {} replies and turns on disk ({} new); ",
                          over_mpi ? "mpi" : "alone",
                          found ? kVictimNames[static_cast<std::size_t>(victim)] : "nobody", at_s,
                          end.exit_code, kept_.size(), kept_.size() - before);
  }

  // Everything that was there before is there, unchanged.
  void keep_in_mind() {
    auto now = finished_work(results_);
    for (const auto& item : kept_) {
      EXPECT_TRUE(now.contains(item)) << "a finished reply or turn is gone; " << story_;
    }
    kept_ = std::move(now);
  }

  void recover() {
    if (!real_file_system().exists(results_ + ".journal")) return;
    const CommandEnd end = ptxbatch({"recover", results_});
    const bool nothing_yet = kept_.empty() && end.exit_code == 1;  // killed before its first record
    EXPECT_TRUE(end.exit_code == 0 || nothing_yet) << end.output << story_;
    keep_in_mind();
    story_ += "recovered; ";
  }

  void go_on_to_the_end() {
    const CommandEnd end = run(command(draw(2) == 0));
    EXPECT_EQ(end.exit_code, 0) << end.output << story_;
    if (end.exit_code != 0) return;
    EXPECT_FALSE(real_file_system().exists(results_ + ".journal"));
    EXPECT_FALSE(real_file_system().exists(results_ + ".lock"));
    keep_in_mind();
    const RunRecords records = read_run(results_);
    EXPECT_EQ(differences(undisturbed_.judgements, records), "") << story_;
    EXPECT_EQ(duplicates(records), "") << story_;
    EXPECT_EQ(records.turns.size(), undisturbed_.judgements.size()) << story_;
    EXPECT_EQ(records.reply_records.size(), undisturbed_.judgements.size()) << story_;
    EXPECT_EQ(table_of(results_), undisturbed_.table) << story_;
    story_ += "complete";
  }

  const Undisturbed& undisturbed_;
  std::minstd_rand& random_;
  Workspace workspace_;
  std::string results_ = workspace_.results();
  std::set<std::pair<std::uint64_t, std::uint64_t>> kept_;
  std::string story_;
  int kills_ = 0;
  bool complete_ = false;
};

TEST(KillRounds, lose_nothing_and_double_nothing) {
  const int rounds = setting("PTXBATCH_KILL_ROUNDS", 6);
  const int seed = setting("PTXBATCH_KILL_SEED", 1);
  const Undisturbed undisturbed = run_undisturbed();
  ASSERT_EQ(undisturbed.judgements.size(), static_cast<std::size_t>(kTrajectories * kTurns));
  int kills = 0;
  int played = 0;
  // A run may be over before its random moment; that is no round.
  for (int number = 0; played < rounds; ++number) {
    std::minstd_rand random(static_cast<unsigned>(seed * 100'000 + number));
    random.discard(10);
    Round round(undisturbed, random);
    fmt::print("round {}: {}\n", number, round.play());
    std::fflush(stdout);
    ASSERT_FALSE(HasFailure()) << "round " << number << " of seed " << seed;
    ASSERT_LT(number, 10 * rounds) << "runs are over before they can be disturbed";
    kills += round.kills();
    played += round.kills() > 0 ? 1 : 0;
  }
  fmt::print("{} rounds, {} kills\n", played, kills);
}

}  // namespace
}  // namespace ptxbatch
