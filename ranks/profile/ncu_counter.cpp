#include "ranks/profile/ncu_counter.h"

#include <charconv>
#include <map>
#include <sstream>

#include "common/csv.h"
#include "common/file_system.h"
#include "common/scratch_folder.h"

namespace ptxbatch {
namespace {

constexpr const char* kWarpsMetric = "inst_executed";
constexpr const char* kThreadsMetric = "thread_inst_executed_true";

// Clocks and caches are left alone: nothing is timed. The name is that of the symbol.
std::vector<std::string> command(const NcuCounter& counter, const std::string& function,
                                 const std::string& log) {
  return {counter.program,
          "--target-processes",
          "application-only",
          "--clock-control",
          "none",
          "--cache-control",
          "none",
          "--kernel-name-base",
          "mangled",
          "--kernel-name",
          "regex:^" + function + "$",
          "--metrics",
          std::string(kWarpsMetric) + "," + kThreadsMetric,
          "--page",
          "source",
          "--csv",
          "--log-file",
          log};
}

Result<std::uint64_t> address_of(const CsvFile& section, std::size_t row) {
  std::string_view text = section.text(row, 0);
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  return fail(section.error(row, 0, "must be an address"));
}

/// One launch: a header and a line for each instruction, the function's first instruction first.
Status add_launch(const std::string& section, std::map<std::uint64_t, InstructionCount>& counts) {
  const auto csv = CsvFile::parse(section, "ncu's log", {"Address", kWarpsMetric, kThreadsMetric});
  if (!csv) return fail(csv.error());
  std::uint64_t first = 0;
  for (std::size_t row = 0; row < csv->size(); ++row) {
    const auto address = address_of(*csv, row);
    const auto warps = csv->integer(row, 1, 0, INT64_MAX);
    const auto threads = csv->integer(row, 2, 0, INT64_MAX);
    if (!address) return fail(address.error());
    if (!warps) return fail(warps.error());
    if (!threads) return fail(threads.error());
    if (row == 0) first = *address;
    InstructionCount& count = counts[*address - first];
    count.address = *address - first;
    count.warps += *warps;
    count.threads += *threads;
  }
  return {};
}

/// The launches in a log: each begins with a line that names the kernel. ncu's own words between
/// them are no CSV.
std::vector<std::string> launches_in(const std::string& log) {
  std::vector<std::string> launches;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("\"Kernel Name\"")) {
      launches.emplace_back();
    } else if (line.starts_with('"') && !launches.empty()) {
      launches.back() += line + "\n";
    }
  }
  return launches;
}

}  // namespace

tl::expected<FunctionCounts, std::string> parse_ncu_counts(const std::string& log) {
  FunctionCounts result;
  std::map<std::uint64_t, InstructionCount> counts;
  for (const std::string& launch : launches_in(log)) {
    result.launched = true;
    if (auto added = add_launch(launch, counts); !added) {
      return tl::unexpected(describe(added.error()));
    }
  }
  for (const auto& [address, count] : counts) result.instructions.push_back(count);
  return result;
}

tl::expected<FunctionCounts, std::string> count_with_ncu(
    const NcuCounter& counter, const KeeperClient::OpenedWorkload& workload,
    const EvidenceTask& task, const std::string& function, double budget_s) {
  const Deadline deadline = deadline_in(budget_s);
  const auto left_s = [&] { return in_seconds(deadline - SteadyClock::now()); };
  auto folder = ScratchFolder::make(counter.runner.scratch_folder, "ncu-");
  if (!folder) return tl::unexpected(folder.error().what);
  const std::string log = folder->path() + "/counts.csv";
  RunnerSpec spec = counter.runner;
  spec.tool = command(counter, function, log);
  auto runner = RunnerClient::start(spec);
  if (!runner) return tl::unexpected(runner.error().what);
  if (auto ready = runner->wait_ready(left_s()); !ready) {
    return tl::unexpected("ncu: " + ready.error().what);
  }
  auto step = runner->load({task.binary, task.problem, workload.mappings, workload.fds}, left_s());
  if (step) step = runner->call(left_s());
  const ProcessEnd end = runner->finish(left_s());
  const std::string said = read_text(log).value_or("it left no log");
  if (!step) return tl::unexpected("the call under ncu: " + step.error().detail + ": " + said);
  if (!end.ok()) return tl::unexpected("ncu " + describe_end(end) + ": " + said);
  return parse_ncu_counts(said);
}

}  // namespace ptxbatch
