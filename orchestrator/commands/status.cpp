// ptxbatch status: show where a run stands, once or until it ends.

#include "orchestrator/status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "common/clock.h"
#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/terminal.h"

namespace ptxbatch {
namespace {

struct StatusOptions {
  std::string file;
  bool json = false;
  bool watch = false;
  double interval_s = 2;
};

// Redraws in place: the lines of before are gone over, and what stood above them stays.
class Screen {
 public:
  void show(const RunStatus& status) {
    const TerminalSize size = terminal_size(STDOUT_FILENO).value_or(TerminalSize{});
    const std::string text = status_text(status, size.rows - 1);
    std::string drawn = drawn_lines_ > 0 ? fmt::format("\x1b[{}A\r\x1b[J", drawn_lines_) : "";
    drawn_lines_ = 0;
    for (std::size_t begin = 0; begin < text.size() && drawn_lines_ + 1 < size.rows;) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      drawn += text.substr(begin, std::min(end - begin, size.columns - 1)) + "\n";
      begin = end + 1;
      ++drawn_lines_;
    }
    fmt::print("{}", drawn);
    std::fflush(stdout);
  }

 private:
  std::size_t drawn_lines_ = 0;
};

void show_plainly(const RunStatus& status, bool json, std::string& shown) {
  const std::string text = json ? status_json(status, true) : status_line(status) + "\n";
  if (text == shown) return;
  shown = text;
  fmt::print("{}", text);
  std::fflush(stdout);
}

int watch(const StatusOptions& options, RunStatus status) {
  const bool on_screen = !options.json && terminal_size(STDOUT_FILENO).has_value();
  Screen screen;
  std::string shown;
  while (true) {
    if (on_screen) {
      screen.show(status);
    } else {
      show_plainly(status, options.json, shown);
    }
    if (!status.running()) return kExitDone;
    std::this_thread::sleep_for(duration_of(options.interval_s));
    auto next = refresh_status(status);
    if (!next) return report(next.error());
    status = std::move(*next);
  }
}

int status(const StatusOptions& options) {
  auto status = read_status(options.file);
  if (!status) return report(status.error());
  if (options.watch) return watch(options, std::move(*status));
  fmt::print("{}", options.json ? status_json(*status) : status_text(*status));
  return kExitDone;
}

}  // namespace

void add_status_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<StatusOptions>();
  CLI::App* command =
      app.add_subcommand("status", "Show where a run stands, running or not, from any node");
  command->add_option("RESULTS", options->file, "Results file (NAME.h5)")->required();
  command->add_flag("--json", options->json, "For programs; docs/status.md describes the fields");
  command->add_flag("--watch", options->watch, "Look again until the run ends");
  command->add_option("--interval", options->interval_s, "Seconds between two looks")
      ->check(CLI::Range(0.05, 86400.0))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = status(*options); });
}

}  // namespace ptxbatch
