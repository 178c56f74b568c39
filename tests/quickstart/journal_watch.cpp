#include "tests/quickstart/journal_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include "common/clock.h"
#include "results/journal.h"

namespace ptxbatch {
namespace {

constexpr double kPatienceS = 60;
constexpr double kLookAgainS = 0.02;  // for what changes without the journal: processes

}  // namespace

int turns_in_journal(const std::string& results) {
  int turns = 0;
  const auto count = [&](Record&& record) -> Status {
    if (std::holds_alternative<TurnRecord>(record)) ++turns;
    return {};
  };
  const auto scan = read_journal(results + ".journal", count);
  return scan ? turns : 0;
}

JournalWatch::JournalWatch(std::string results)
    : results_(std::move(results)), changes_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  const std::string folder = std::filesystem::path(results_).parent_path();
  if (::inotify_add_watch(changes_.get(), folder.c_str(), IN_CREATE | IN_MODIFY) < 0) {
    throw std::runtime_error("cannot watch " + folder);
  }
}

bool JournalWatch::wait_until(ChildProcess& run, const std::function<bool()>& reached) {
  const Deadline deadline = deadline_in(kPatienceS);
  while (!reached()) {
    const Deadline look_again = std::min(deadline, deadline_in(kLookAgainS));
    if (run.wait_readable(changes_.get(), look_again) == ChildProcess::Readable::kChildEnded) {
      return false;
    }
    drain();
    if (SteadyClock::now() >= deadline) return false;
  }
  return true;
}

bool JournalWatch::wait_for_turns(ChildProcess& run, int turns) {
  return wait_until(run, [&] { return turns_in_journal(results_) >= turns; });
}

void JournalWatch::drain() {
  std::array<char, 4096> events{};
  while (::read(changes_.get(), events.data(), events.size()) > 0) {
  }
}

}  // namespace ptxbatch
