// The lock among real processes: forked holders that live, die and compete.
#include "results/run_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "results/lock_holder.h"
#include "tests/support/failing_file_system.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

/// A forked child that runs `work`, reports one byte, and lives on until it is killed.
class Child {
 public:
  explicit Child(const std::function<char()>& work) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      const char report = work();
      static_cast<void>(::write(ends[1], &report, 1) == 1);
      while (true) ::pause();
    }
    ::close(ends[1]);
    report_fd_ = ends[0];
  }
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), report_fd_(std::exchange(other.report_fd_, -1)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      kill();
      ::waitpid(pid_, nullptr, 0);
    }
    if (report_fd_ >= 0) ::close(report_fd_);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] char report() const {
    char byte = '?';
    return ::read(report_fd_, &byte, 1) == 1 ? byte : '!';
  }
  /// Dead when this returns, but still a zombie.
  void kill() const {
    ::kill(pid_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }

 private:
  pid_t pid_ = -1;
  int report_fd_ = -1;
};

class RunLockTest : public testing::Test {
 protected:
  auto acquire() { return RunLock::acquire(files_, path_); }

  Child holder() { return holder_of(path_); }
  Child holder_of(const std::string& path) {
    return Child([this, path] {
      auto lock = RunLock::acquire(files_, path);
      if (lock) static_cast<void>(lock->release());  // held until the process is killed
      return lock ? 'A' : 'R';
    });
  }

  TestFolder folder_;
  FailingFileSystem files_;
  std::string path_ = folder_.file("run.h5.lock");
};

TEST_F(RunLockTest, IsHeldUntilItIsReleased) {
  {
    const auto lock = acquire();
    ASSERT_TRUE(lock) << describe(lock.error());
    EXPECT_FALSE(acquire());
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(acquire());
}

TEST_F(RunLockTest, OfALivingProcessIsRefusedWithItsNameAndTheWayOut) {
  const Child other = holder();
  ASSERT_EQ(other.report(), 'A');
  const auto lock = acquire();
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(lock.error().file, path_);
  EXPECT_NE(lock.error().what.find("process " + std::to_string(other.pid())), std::string::npos);
  EXPECT_NE(lock.error().hint.find("remove " + path_), std::string::npos);
}

TEST_F(RunLockTest, OfAKilledProcessIsTakenOver) {
  {
    const Child other = holder();
    ASSERT_EQ(other.report(), 'A');
  }
  ASSERT_TRUE(std::filesystem::exists(path_));
  const auto lock = acquire();
  ASSERT_TRUE(lock) << describe(lock.error());
  EXPECT_FALSE(std::filesystem::exists(path_ + ".takeover"));
}

TEST_F(RunLockTest, OfAZombieIsTakenOver) {
  const Child other = holder();
  ASSERT_EQ(other.report(), 'A');
  other.kill();
  EXPECT_TRUE(acquire());
}

TEST_F(RunLockTest, ThatIsStaleGoesToExactlyOneOfManyThatWantIt) {
  constexpr int kRounds = 10;
  constexpr int kContenders = 8;
  for (int round = 0; round < kRounds; ++round) {
    {
      const Child dead = holder();
      ASSERT_EQ(dead.report(), 'A');
    }
    std::vector<Child> contenders;
    contenders.reserve(kContenders);
    for (int i = 0; i < kContenders; ++i) contenders.push_back(holder());
    int acquired = 0;
    for (const Child& contender : contenders) acquired += contender.report() == 'A' ? 1 : 0;
    EXPECT_EQ(acquired, 1) << "round " << round;
  }
}

TEST_F(RunLockTest, BeingTakenOverByAnotherIsRefused) {
  {
    const Child other = holder();
    ASSERT_EQ(other.report(), 'A');
  }
  const Child taking_over = holder_of(path_ + ".takeover");
  ASSERT_EQ(taking_over.report(), 'A');
  const auto lock = acquire();
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::kConflict);
  EXPECT_NE(lock.error().hint.find(path_ + ".takeover"), std::string::npos);
}

// Killed in the middle of taking a dead run's lock over, several times.
TEST_F(RunLockTest, WhoseTakeOverDiedIsTakenOverAllTheSame) {
  for (const char* left : {"", ".takeover", ".takeover.takeover"}) {
    const Child dead = holder_of(path_ + left);
    ASSERT_EQ(dead.report(), 'A');
    dead.kill();
  }
  const auto lock = acquire();
  ASSERT_TRUE(lock) << describe(lock.error());
  for (const auto& entry : std::filesystem::directory_iterator(folder_.file(""))) {
    EXPECT_EQ(entry.path().string(), path_) << "left behind";
  }
}

TEST_F(RunLockTest, IsNeverSeenWithoutItsHolder) {
  const Child writer([this] {
    while (true) static_cast<void>(acquire());
    return 'A';
  });
  // As often as a busy machine gets to see one; a lock that is written in its place is empty for
  // most of the time that it takes to sync it.
  constexpr int kSightings = 30;
  for (int seen = 0; seen < kSightings;) {
    const auto contents = files_.read(path_);
    if (!contents) continue;
    ++seen;
    ASSERT_TRUE(LockHolder::parse(*contents)) << "'" << *contents << "'";
  }
}

TEST_F(RunLockTest, ThatWasLeftUnwrittenIsStaleAfterAMinute) {
  for (const char* left : {"", "{\"host\": \"n"}) {
    ASSERT_TRUE(write_text(path_, left));
    const auto fresh = acquire();
    ASSERT_FALSE(fresh);
    EXPECT_EQ(fresh.error().kind, ErrorKind::kConflict);
    const auto past = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2);
    std::filesystem::last_write_time(path_, past);
    EXPECT_TRUE(acquire());
  }
}

TEST_F(RunLockTest, IsNotRemovedByAHolderWhoLostIt) {
  const std::string another = "somebody else's";
  {
    const auto lock = acquire();
    ASSERT_TRUE(lock);
    ASSERT_TRUE(write_text(path_, another));
  }
  EXPECT_EQ(read_text(path_).value_or("gone"), another);
}

TEST_F(RunLockTest, OnAFullDiskIsASystemErrorAndNoConflict) {
  files_.fail_create = true;
  const auto lock = acquire();
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::kSystem);
}

TEST_F(RunLockTest, InAMissingFolderIsASystemError) {
  const auto lock = RunLock::acquire(files_, folder_.file("absent/run.h5.lock"));
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::kSystem);
}

}  // namespace
}  // namespace ptxbatch
