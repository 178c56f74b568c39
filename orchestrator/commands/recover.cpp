// ptxbatch recover: rebuild a results file from its journal, and say what was found.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/recovery.h"
#include "orchestrator/run_store.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kMostListed = 20;

struct RecoverOptions {
  std::string file;
  bool only_look = false;
};

template <class Items, class TextOf>
void list(const std::string& title, const Items& items, TextOf text_of) {
  if (items.empty()) return;
  fmt::print("  {}:\n", title);
  for (std::size_t i = 0; i < std::min(items.size(), kMostListed); ++i) {
    fmt::print("    {}\n", text_of(items[i]));
  }
  if (items.size() > kMostListed) fmt::print("    and {} more\n", items.size() - kMostListed);
}

std::string range_text(const ByteRange& range) {
  return fmt::format("bytes {} to {}", range.begin, range.end);
}

void print_tail(const JournalSalvage& journal) {
  if (journal.tail.size() == 0) return;
  fmt::print("  the last {} bytes (from byte {}) are no whole record: {}\n", journal.tail.size(),
             journal.tail.begin,
             journal.tail_may_be_damage
                 ? "nor the beginning of one. The machine stopped before it was synced, or "
                   "it was damaged later"
                 : "a crash in the middle of an append. It was not synced and does not count");
}

void print_journal(const std::string& path, const RecoveryReport& report) {
  if (!report.journal) {
    fmt::print("{}: not there, so the results file is all there is\n", path);
    return;
  }
  const JournalSalvage& journal = *report.journal;
  fmt::print("{}: {} bytes, {} good records\n", path, journal.size_bytes, journal.records);
  if (journal.header_damaged) fmt::print("  its header is damaged; the records do not need it\n");
  list("damaged", journal.damaged, [&](const ByteRange& range) {
    const bool lost = std::find(report.lost.begin(), report.lost.end(), range) != report.lost.end();
    return range_text(range) + (lost ? ": what stood there is lost"
                                     : ": the results file still holds what stood there");
  });
  print_tail(journal);
}

void print_results(const std::string& path, const RecoveryReport& report) {
  if (!report.results_damage.empty()) {
    fmt::print("{}: not readable: {}\n", path, report.results_damage);
  } else if (report.from_results > 0 && report.journal) {
    fmt::print("{}: holds {} records that the journal lost\n", path, report.from_results);
  }
}

void print_findings(const RecoveryReport& report) {
  list("good records left out, since they need lost ones", report.left_out,
       [](const RecoveryReport::LeftOut& left) {
         return (left.offset ? fmt::format("byte {}: ", *left.offset) : "in the results file: ") +
                left.why;
       });
  list("doubts", report.doubts, [](const std::string& doubt) { return doubt; });
}

void print_outcome(const RecoverOptions& options, const RecoveryReport& report) {
  if (!report.journal_kept_as.empty()) {
    fmt::print("the damaged journal is kept, untouched, as {}\n", report.journal_kept_as);
  }
  if (!report.results_kept_as.empty()) {
    fmt::print("the damaged results file is kept as {}\n", report.results_kept_as);
  }
  if (report.journal_written) {
    fmt::print("{}: written anew from what is good\n", journal_path(options.file));
  }
  fmt::print("{}: {}{} of {} trajectories ended, {} turns, {} replies, {} prompts\n", options.file,
             report.results_written ? "rebuilt and read back: "
             : options.only_look    ? "would hold "
                                    : "",
             report.ended, report.trajectories, report.turns, report.replies, report.prompts);
  if (report.lossless()) {
    fmt::print(
        "checked: checksums, every turn has its reply, every reply its prompt, turns are "
        "contiguous, hashes are their texts'\n");
  }
  if (!report.complete || report.failed > 0) {
    fmt::print("The run is not complete: its 'ptxbatch run' command goes on from here{}.\n",
               report.left_out.empty() ? "" : ", and does again what was left out");
  }
}

int recover(const RecoverOptions& options) {
  const auto report_of = recover_results(real_file_system(), options.file, !options.only_look);
  if (!report_of) return report(report_of.error());
  print_journal(journal_path(options.file), *report_of);
  print_results(options.file, *report_of);
  print_findings(*report_of);
  print_outcome(options, *report_of);
  return report_of->lossless() ? kExitDone : kExitWithFailures;
}

}  // namespace

void add_recover_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RecoverOptions>();
  CLI::App* command = app.add_subcommand(
      "recover", "Rebuild a results file from its journal, check both, say what is damaged");
  command->add_option("RESULTS", options->file, "Results file (NAME.h5)")->required();
  command->add_flag("--dry-run", options->only_look, "Only look and report; write nothing");
  command->callback([options, &exit_code] { exit_code = recover(*options); });
}

}  // namespace ptxbatch
