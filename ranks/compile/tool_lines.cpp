#include "ranks/compile/tool_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "common/process.h"
#include "common/unique_fd.h"

namespace ptxbatch {
namespace {

constexpr int kChildFd = 3;

// Cuts a stream of chunks into lines.
class LineSplitter {
 public:
  explicit LineSplitter(const std::function<void(std::string_view)>& visit) : visit_(visit) {}

  void add(std::string_view chunk) {
    for (std::size_t end = chunk.find('\n'); end != std::string_view::npos;
         end = chunk.find('\n')) {
      if (rest_.empty()) {
        visit_(chunk.substr(0, end));
      } else {
        visit_(rest_.append(chunk.substr(0, end)));
        rest_.clear();
      }
      chunk.remove_prefix(end + 1);
    }
    rest_.append(chunk);
  }
  void finish() {
    if (!rest_.empty()) visit_(rest_);
  }

 private:
  const std::function<void(std::string_view)>& visit_;
  std::string rest_;
};

std::string end_text(const ProcessEnd& end) {
  switch (end.kind) {
    case ProcessEnd::Kind::kExited:
      return "exited with " + std::to_string(end.exit_code);
    case ProcessEnd::Kind::kSignaled:
      return "was ended by signal " + std::to_string(end.signal);
    case ProcessEnd::Kind::kTimedOut:
      return "took too long";
  }
  return "ended";
}

}  // namespace

Status visit_tool_lines(const std::vector<std::string>& argv, double timeout_s,
                        const std::function<void(std::string_view)>& visit) {
  const Deadline deadline = deadline_in(timeout_s);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("pipe", errno));
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);

  // The shell puts stdout into the pipe and becomes the tool; stderr stays apart, for the error.
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", R"(exec "$0" "$@" 1>&3 3>&-)"};
  spec.argv.insert(spec.argv.end(), argv.begin(), argv.end());
  spec.environment = tool_environment();
  spec.environment.emplace_back("LC_ALL=C.UTF-8");
  spec.passed_fds = {{write_end.get(), kChildFd}};
  auto child = ChildProcess::start(spec);
  if (!child) return fail(child.error());
  write_end.reset();

  LineSplitter lines(visit);
  std::array<char, 1U << 16U> buffer{};
  while (child->wait_readable(read_end.get(), deadline) != ChildProcess::Readable::kTimedOut) {
    // At the child's end the pipe's write end is closed: what is left is read up to its end.
    const ssize_t count = ::read(read_end.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    lines.add({buffer.data(), static_cast<std::size_t>(count)});
  }
  const ProcessEnd end = child->wait(deadline);
  if (!end.ok()) {
    return fail(ErrorKind::kSystem, argv[0] + " " + end_text(end) + ": " + child->output());
  }
  lines.finish();
  return {};
}

}  // namespace ptxbatch
