#include "orchestrator/commands/support.h"

#include "analysis/timing_method.h"

namespace ptxbatch {

Result<std::vector<TurnTable>> read_turn_tables(const std::vector<std::string>& files,
                                                SpeedupKind speedup) {
  std::vector<TurnTable> tables;
  for (const std::string& file : files) {
    auto table = read_turn_table(file);
    if (!table) return fail(table.error());
    if (speedup == SpeedupKind::kPaired && !has_speedups(*table, speedup)) {
      return fail(ErrorKind::kConflict, file + " has no paired speedups",
                  "Leave out --speedup paired.");
    }
    tables.push_back(std::move(*table));
  }
  return tables;
}

void add_results_option(CLI::App& command, std::vector<std::string>& files) {
  command.add_option("RESULTS", files, "Results files")->required();
}

void add_speedup_option(CLI::App& command, std::string& speedup) {
  command.add_option("--speedup", speedup, "Which speedup: paper (medians) or paired blocks")
      ->check(CLI::IsMember({"paper", "paired"}));
}

SpeedupKind speedup_kind(const std::string& name) {
  return name == "paired" ? SpeedupKind::kPaired : SpeedupKind::kPaper;
}

}  // namespace ptxbatch
