#include "orchestrator/mpi_transport.h"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <stdexcept>
#include <thread>

#include "orchestrator/exit_codes.h"

namespace ptxbatch {
namespace {

constexpr int kTag = 7;
constexpr auto kShortestNap = std::chrono::microseconds(50);
constexpr auto kLongestNap = std::chrono::microseconds(2000);
constexpr double kLastWordsS = 10;  // that a process which takes nothing may hold up another's end

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw std::runtime_error(std::string(call) + ": " + text);
}

#define PTXBATCH_MPI(call) check((call), #call)

// Naps that grow while nothing happens: a busy link answers in microseconds, an idle one sleeps.
class Nap {
 public:
  void rest() {
    std::this_thread::sleep_for(length_);
    length_ = std::min(length_ * 2, std::chrono::microseconds(kLongestNap));
  }
  void something_happened() { length_ = kShortestNap; }

 private:
  std::chrono::microseconds length_ = kShortestNap;
};

std::optional<RankBytes> try_receive() {
  int flag = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  PTXBATCH_MPI(MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &flag, &message, &status));
  if (flag == 0) return std::nullopt;
  int count = 0;
  PTXBATCH_MPI(MPI_Get_count(&status, MPI_BYTE, &count));
  RankBytes received{status.MPI_SOURCE, std::string(static_cast<std::size_t>(count), '\0')};
  PTXBATCH_MPI(MPI_Mrecv(received.bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE));
  return received;
}

// MPI waits for every process of the job without end. When one of them died before that, or its
// node hangs, the others would burn the allocation.
class StartLimit {
 public:
  StartLimit() : guard_([this] { watch(); }) {}
  ~StartLimit() {
    {
      const std::scoped_lock lock(mutex_);
      started_ = true;
    }
    has_started_.notify_one();
    guard_.join();
  }
  StartLimit(const StartLimit&) = delete;
  StartLimit& operator=(const StartLimit&) = delete;

 private:
  static long limit_s() {
    const char* text = std::getenv("PTXBATCH_MPI_START_S");
    const long wanted = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
    return wanted > 0 ? wanted : 600;
  }
  void watch() {
    const long limit = limit_s();
    std::unique_lock lock(mutex_);
    const bool in_time =
        has_started_.wait_for(lock, std::chrono::seconds(limit), [this] { return started_; });
    if (in_time) return;
    std::fprintf(stderr,
                 "ptxbatch: MPI has not started within %ld s: another process of this job has died "
                 "or hangs\n  Run the same command again. If the job is so large that it takes "
                 "longer, set PTXBATCH_MPI_START_S.\n",
                 limit);
    std::_Exit(kExitResumable);
  }

  std::mutex mutex_;
  std::condition_variable has_started_;
  bool started_ = false;
  std::thread guard_;  // last: it uses the others
};

}  // namespace

bool started_by_mpi_launcher() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
}

MpiSession::MpiSession() {
  const StartLimit limit;
  int provided = 0;
  PTXBATCH_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
  if (provided < MPI_THREAD_FUNNELED) {
    throw std::runtime_error("this MPI library does not support threads (MPI_THREAD_FUNNELED)");
  }
  PTXBATCH_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  PTXBATCH_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
  PTXBATCH_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size_));
  // Collective, as only the start and the end may be.
  MPI_Comm host = MPI_COMM_NULL;
  PTXBATCH_MPI(
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host));
  PTXBATCH_MPI(MPI_Comm_size(host, &size_on_this_host_));
  PTXBATCH_MPI(MPI_Comm_free(&host));
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

void MpiSession::abandon(int exit_code) {
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

namespace {

// Sends under way, with the bytes that MPI still reads.
class Outbox {
 public:
  void send(RankBytes message) {
    Sending& entry = sending_.emplace_back(Sending{std::move(message.bytes), MPI_REQUEST_NULL});
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): sweep() waits for it, by testing
    PTXBATCH_MPI(MPI_Isend(entry.bytes.data(), static_cast<int>(entry.bytes.size()), MPI_BYTE,
                           message.rank, kTag, MPI_COMM_WORLD, &entry.request));
  }
  /// How many have left since the last time.
  std::uint64_t sweep() {
    return sending_.remove_if([](Sending& entry) {
      int done = 0;
      PTXBATCH_MPI(MPI_Test(&entry.request, &done, MPI_STATUS_IGNORE));
      return done != 0;
    });
  }
  [[nodiscard]] bool empty() const { return sending_.empty(); }

 private:
  struct Sending {
    std::string bytes;
    MPI_Request request;
  };
  std::list<Sending> sending_;  // a list: MPI holds addresses of the entries
};

}  // namespace

void MpiLink::send(int peer, std::string bytes) {
  {
    const std::lock_guard lock(mutex_);
    ++sent_;
  }
  outgoing_.push({peer, std::move(bytes)});
}

void MpiLink::note_left(std::uint64_t count) {
  if (count == 0) return;
  {
    const std::lock_guard lock(mutex_);
    left_ += count;
  }
  has_left_.notify_all();
}

bool MpiLink::flush(Deadline deadline) {
  std::unique_lock lock(mutex_);
  return has_left_.wait_until(lock, deadline, [this] { return left_ == sent_; });
}

void MpiLink::pump(const std::function<void(RankBytes)>& deliver,
                   const std::atomic<bool>& finished) {
  // On the heap, and left there when somebody takes nothing: MPI still reads what it holds.
  auto outbox = std::make_unique<Outbox>();
  Nap nap;
  std::optional<Deadline> last_words;
  while (true) {
    const bool was_finished = finished.load();  // before draining: what was sent earlier is seen
    if (was_finished && !last_words) last_words = deadline_in(kLastWordsS);
    bool idle = true;
    while (auto message = outgoing_.pop_until(SteadyClock::now())) {
      outbox->send(std::move(*message));
      idle = false;
    }
    note_left(outbox->sweep());
    if (auto received = try_receive()) {
      deliver(std::move(*received));
      idle = false;
    }
    if (was_finished && idle && outbox->empty()) return;
    if (last_words && SteadyClock::now() > *last_words) {
      static_cast<void>(outbox.release());
      return;
    }
    if (idle) {
      nap.rest();
    } else {
      nap.something_happened();
    }
  }
}

std::vector<int> MpiTransport::ranks() const {
  std::vector<int> result;
  for (int rank = 1; rank < size_; ++rank) result.push_back(rank);
  return result;
}

void MpiTransport::flush() {
  link_.flush(deadline_in(kLastWordsS));
}

}  // namespace ptxbatch
