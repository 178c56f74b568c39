// A fault at every single call that a run makes to the file system, of each kind, followed by a
// power failure: what was acknowledged is on disk, and the same run goes on to the same end.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <map>
#include <ostream>
#include <vector>

#include "orchestrator/run_store.h"
#include "results/record_fingerprint.h"
#include "results/results_file.h"
#include "tests/orchestrator/run_records.h"
#include "tests/support/failing_file_system.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using Fault = FailingFileSystem::Fault;

constexpr int kTrajectories = 2;
constexpr int kTurns = 2;

/// A session of a run as the coordinator drives it: it stops at the first error of the journal; a
/// checkpoint may fail.
class Session {
 public:
  Session(FailingFileSystem& files, std::string results)
      : files_(files), results_(std::move(results)) {}

  /// Whether it came to the end of the run.
  bool play() {
    auto opened = RunStore::open(files_, results_, small_experiment(kTrajectories, kTurns));
    if (!opened) return false;
    store_ = std::move(*opened);
    if (store_->state().complete()) return store_->finish().has_value();
    const int session = store_->state().sessions();
    if (!put(EventRecord{0, session, 0, store_->resumed() ? "resumed" : "started", ""}))
      return false;
    for (int turn = 0; turn < kTurns; ++turn) {
      for (int trajectory = 0; trajectory < kTrajectories; ++trajectory) {
        if (!go_on(trajectory, turn)) return false;
      }
      if (turn == 0) static_cast<void>(store_->checkpoint(false));
    }
    return store_->finish().has_value();
  }

  /// Records that a sync has made safe.
  [[nodiscard]] const std::vector<Record>& acknowledged() const { return acknowledged_; }

 private:
  bool put(const Record& record) {
    if (!store_->append(record)) return false;
    if (!store_->sync()) return false;
    acknowledged_.push_back(record);
    return true;
  }
  bool go_on(int trajectory, int turn) {
    const auto& state = store_->state().trajectories()[static_cast<std::size_t>(trajectory)];
    if (std::cmp_less_equal(state.history.size(), turn)) {
      if (!state.pending_reply && !put(reply_of(trajectory, turn))) return false;
      if (!put(turn_of(trajectory, turn))) return false;
    }
    if (turn + 1 < kTurns || state.end) return true;
    return put(TrajectoryEndRecord{trajectory, TrajectoryEnd::kTurnsDone, ""});
  }

  FailingFileSystem& files_;
  std::string results_;
  std::unique_ptr<RunStore> store_;
  std::vector<Record> acknowledged_;
};

struct Kind {
  const char* name;
  Fault::Effect effect;
  bool lasting;
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.name;
}

class RunStoreFaults : public testing::TestWithParam<Kind> {
 protected:
  /// How often each record stands in the results file.
  static std::map<std::pair<std::uint64_t, std::uint64_t>, int> counts(const std::string& results) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, int> counts;
    const auto read = read_results_file(results, [&](Record&& record) -> Status {
      const Fingerprint print = fingerprint(record);
      ++counts[{print.high, print.low}];
      return {};
    });
    EXPECT_TRUE(read) << describe(read.error());
    return counts;
  }
};

TEST_P(RunStoreFaults, at_any_call_lose_nothing_that_was_acknowledged) {
  constexpr std::array kErrors = {ENOSPC, EDQUOT, EIO, EROFS};
  bool met = true;
  for (int call = 0; met; ++call) {
    const TestFolder folder;
    const std::string results = folder.file("run.h5");
    std::vector<Record> acknowledged;
    {
      FailingFileSystem files;
      files.fault = Fault{call, kErrors[static_cast<std::size_t>(call) % kErrors.size()],
                          GetParam().effect, GetParam().lasting};
      {
        Session disturbed(files, results);
        disturbed.play();
        acknowledged = disturbed.acknowledged();
      }
      met = files.fault_met();
      files.lose_unsynced();
      // The process has ended, so whoever comes next takes its lock over.
      for (const char* lock : {".lock", ".lock.takeover"}) {
        static_cast<void>(real_file_system().remove(results + lock));
      }
    }
    FailingFileSystem repaired;
    ASSERT_TRUE(Session(repaired, results).play()) << "call " << call;
    const auto stored = counts(results);
    for (const Record& record : acknowledged) {
      const Fingerprint print = fingerprint(record);
      const auto found = stored.find({print.high, print.low});
      ASSERT_NE(found, stored.end()) << "call " << call << ": an acknowledged record is lost";
      EXPECT_EQ(found->second, 1) << "call " << call << ": a record is there twice";
    }
    const auto state = read_run_state(results);
    ASSERT_TRUE(state);
    EXPECT_EQ(state->turns(), kTrajectories * kTurns) << "call " << call;
    EXPECT_TRUE(state->complete());
    EXPECT_FALSE(real_file_system().exists(journal_path(results)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, RunStoreFaults,
    testing::Values(Kind{"one_call_without_effect", Fault::Effect::kNone, false},
                    Kind{"one_call_with_half_its_effect", Fault::Effect::kHalf, false},
                    Kind{"one_call_that_was_done", Fault::Effect::kWhole, false},
                    Kind{"all_calls_from_one_on", Fault::Effect::kHalf, true}),
    [](const testing::TestParamInfo<Kind>& kind) { return kind.param.name; });

}  // namespace
}  // namespace ptxbatch
