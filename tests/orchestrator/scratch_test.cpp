// What a start may remove of what others left in a folder that hosts and containers may share.
#include "orchestrator/scratch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;

pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

class Sweep : public ::testing::Test {
 protected:
  fs::path left_by(const LockHolder& there, pid_t pid) {
    const fs::path folder =
        fs::path(root_.file("root")) / process_space(there) / (std::to_string(pid) + "-rank1-abc");
    fs::create_directories(folder);
    return folder;
  }
  void sweep() { sweep_abandoned(root_.file("root"), here_); }

  TestFolder root_;
  LockHolder here_ = LockHolder::current();
};

TEST_F(Sweep, TakesWhatAnEndedProcessLeftHereAndNothingOfALiveOne) {
  const fs::path ended = left_by(here_, ended_process());
  const fs::path alive = left_by(here_, ::getpid());
  sweep();
  EXPECT_FALSE(fs::exists(ended));
  EXPECT_TRUE(fs::exists(alive));
}

TEST_F(Sweep, TakesNothingOfAnotherHostOrContainer) {
  LockHolder host = here_;
  host.host = "another-node";
  LockHolder container = here_;
  container.pid_namespace = "pid:[1]";
  const pid_t pid = ended_process();
  const fs::path on_host = left_by(host, pid);
  const fs::path in_container = left_by(container, pid);
  sweep();
  EXPECT_TRUE(fs::exists(on_host));
  EXPECT_TRUE(fs::exists(in_container));
}

TEST_F(Sweep, TakesWhatIsOfAnEarlierBoot) {
  LockHolder before = here_;
  before.boot_id = "00000000-0000-0000-0000-000000000000";
  const fs::path folder = left_by(before, ::getpid());
  sweep();
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace ptxbatch
