#include "ranks/profile/fault_reporter.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "ranks/profile/messages.h"

namespace ptxbatch {
namespace {

struct PreparedNote {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::string bytes;
};

// A signal handler gets no context of ours, so what it needs has to live at a fixed place. Made
// before the handler is installed, never changed afterwards.
struct HandlerState {
  int channel_fd = -1;
  std::vector<PreparedNote> notes;
  std::string note_without_address;
  alignas(64) std::array<std::byte, 64U << 10U> stack;
};

HandlerState& handler_state() {
  static HandlerState state;
  return state;
}

void send_note(const std::string& bytes) {
  iovec data{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  ::sendmsg(handler_state().channel_fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// The processor refused the access without looking it up (x86: a general protection fault), and the
// kernel gives 0 as its address.
bool was_refused_unseen(const siginfo_t& info) {
  return info.si_code == SI_KERNEL;
}

// By a process, perhaps this one. Its sender's id stands where a fault has its address.
bool was_sent(const siginfo_t& info) {
  return info.si_code <= 0;
}

void send_note_at(std::uintptr_t address) {
  for (const PreparedNote& note : handler_state().notes) {
    if (address >= note.begin && address < note.end) {
      send_note(note.bytes);
      return;
    }
  }
}

// Only calls that are safe in a signal handler. It returns with the default action restored, so
// that the access faults again and ends the process by the true signal.
void on_fault(int signal, siginfo_t* info, void* /*context*/) {
  if (was_refused_unseen(*info)) {
    send_note(handler_state().note_without_address);
  } else if (!was_sent(*info)) {
    send_note_at(reinterpret_cast<std::uintptr_t>(info->si_addr));
  }
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  if (was_sent(*info)) ::raise(signal);  // nothing would bring it again
}

// Below the main thread's stack the kernel leaves a gap of at least 128 MiB, so that an access in
// the first half of it, beyond the stack's limit, is an overflow.
PreparedNote stack_note() {
  constexpr std::uintptr_t kReach = 64U << 20U;
  rlimit limit{};
  ::getrlimit(RLIMIT_STACK, &limit);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto stack_bytes = std::min<std::uintptr_t>(limit.rlim_cur, kReach);
  return {here - stack_bytes - kReach, here, encode(FaultNote{"stack overflow"})};
}

}  // namespace

void install_fault_reporter(int channel_fd, const std::vector<FaultRegion>& regions) {
  HandlerState& state = handler_state();
  state.channel_fd = channel_fd;
  for (const FaultRegion& region : regions) {
    const auto begin = reinterpret_cast<std::uintptr_t>(region.addresses.data());
    state.notes.push_back(
        {begin, begin + region.addresses.size(), encode(FaultNote{region.place})});
  }
  constexpr std::uintptr_t kNullReach = 64U << 10U;
  state.notes.push_back({0, kNullReach, encode(FaultNote{"null pointer"})});
  state.notes.push_back(stack_note());
  state.note_without_address = encode(FaultNote{"a misaligned or non-canonical address"});

  stack_t stack{};
  stack.ss_sp = state.stack.data();
  stack.ss_size = state.stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace ptxbatch
