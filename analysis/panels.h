// The Fast_p figure as data: what each panel shows, before anything is drawn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/selection.h"
#include "results/turn_table.h"

namespace ptxbatch {

/// The right end of every panel, as in the paper.
inline constexpr double kFastPMax = 1.2;

/// A share of turns and the band over the prompt tags around it.
struct BandValue {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// The curves from this p up to the next point's.
struct PanelPoint {
  double p = 0;
  BandValue fast_p;
  BandValue fast_p_inst;
};

struct Panel {
  bool planned = false;   // false: the experiment has no such condition
  bool has_band = false;  // several prompt tags
  std::int64_t correct_turns = 0;
  double best_speedup = 0;  // of them; 0 when none has a speedup
  std::vector<PanelPoint> points;
};

struct PanelRow {
  std::string model;
  std::string target;
  std::vector<Panel> panels;  // one for each problem
};

struct PanelGrid {
  std::vector<std::string> problems;
  std::vector<PanelRow> rows;
  SpeedupKind speedup = SpeedupKind::kPaper;
};

PanelGrid make_panels(const std::vector<TurnTable>& tables, SpeedupKind kind);

/// The grid with these models on these targets as rows and these problems as columns, whether they
/// were run or not; an empty list keeps what there is.
PanelGrid with_rows_and_columns(const PanelGrid& grid, const Selection& wanted);

/// What a panel says in place of its best speedup; empty where it has one.
std::string_view words_of(const Panel& panel);

/// Tidy CSV with a header: a row for each point of each planned panel. Columns of paired speedups
/// have names of their own.
std::string panels_csv(const PanelGrid& grid);

}  // namespace ptxbatch
