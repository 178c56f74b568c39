// Which figures are drawn and of what: read from a file such as experiments/paper/figures.toml, or
// those that suit any run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/figure.h"
#include "analysis/figure_scores.h"
#include "analysis/selection.h"
#include "common/error.h"
#include "results/turn_table.h"

namespace ptxbatch {

enum class FigureKind { kFastP, kScores, kTurns, kTransitions, kReasoning, kBars };

/// One entry of the file.
struct FigureSpec {
  std::string name;
  std::string title;
  FigureKind kind = FigureKind::kFastP;
  Selection selection;                     // all kinds but kBars
  std::vector<ScoreFigure::Group> groups;  // kScores
  std::int32_t turns = 8;                  // kScores
  std::string data;                        // kBars: a CSV file (figure_bars.h)
  bool ratios = false;                     // kBars
};

/// What a file says.
struct FigureSet {
  /// Of published turns, only the prompt blocks that count in the paper (counted_blocks.h).
  bool paper_blocks = false;
  std::vector<FigureSpec> figures;
};

/// Paths in the file are relative to it. All mistakes at once.
tl::expected<FigureSet, std::vector<Error>> read_figure_file(const std::string& path);

/// What `ptxbatch figures` draws when no file says otherwise.
FigureSet standard_figures();

/// One spec may give several pages. Fails where a data file cannot be read.
Result<std::vector<Figure>> make_figures(const FigureSet& set, const std::vector<TurnTable>& tables,
                                         SpeedupKind speedup);

}  // namespace ptxbatch
