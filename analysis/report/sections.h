// The sections of a report, each as HTML.
#pragma once

#include <string>

#include "analysis/report/report.h"

namespace ptxbatch {

/// What ran and how it stands, as a few large numbers.
std::string report_summary(const ReportInput& input);
/// Turn correctness, best speedup and pass@T.
std::string report_tables(const ReportInput& input);
/// Fast_p and Fast_p^Inst as SVG.
std::string report_curves(const ReportInput& input);
/// How turns ended, and why they failed.
std::string report_outcomes(const ReportInput& input);
/// Hosts, devices, drivers, libraries.
std::string report_places(const ReportInput& input);
/// What the monitors saw: events, clocks, temperature, throttling.
std::string report_health(const ReportInput& input);
/// Tokens, money and time.
std::string report_cost(const ReportInput& input);
/// The list of trajectories that the page's script fills, and the experiment files.
std::string report_turns(const ReportInput& input);
std::string report_experiments(const ReportInput& input);

/// Compressed data for the page's script: an index of all trajectories, the prompts, and the turns
/// of each trajectory whose details were read.
std::string report_data(const ReportInput& input);

}  // namespace ptxbatch
