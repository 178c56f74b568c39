// What several commands share: reading results files, common options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/metrics.h"
#include "common/error.h"
#include "orchestrator/report_error.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// kConflict where correct turns of a file have no paired speedups, and those are asked for.
Result<std::vector<TurnTable>> read_turn_tables(const std::vector<std::string>& files,
                                                SpeedupKind speedup = SpeedupKind::kPaper);

/// The options of commands that read results files.
void add_results_option(CLI::App& command, std::vector<std::string>& files);
void add_speedup_option(CLI::App& command, std::string& speedup);
/// Checks of an option's value. CLI11 itself takes a number that is too large for the largest, and
/// prints ranges of 300 digits.
CLI::Validator whole_number_from(std::int64_t least);
CLI::Validator positive_amount();
/// Of options that take turn limits, separated by commas.
void check_turn_limits(CLI::Option& option);

SpeedupKind speedup_kind(const std::string& name);

}  // namespace ptxbatch
