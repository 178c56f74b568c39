// What a figure of scores shows, before anything is drawn.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/figure_scores.h"
#include "analysis/metrics.h"

namespace ptxbatch {

/// One bar of each metric.
struct ScoreBar {
  double any = 0;
  double with_target = 0;
};

struct ScoreRow {
  std::string model;
  std::string target;
  // [problem of the figure]; nothing where the experiments have no such condition
  std::vector<std::optional<LimitScore>> scores;
};

/// One problem of the figure, in the order in which they are drawn.
struct ScoreSlot {
  std::string problem;
  std::string group;
};

struct ScoreContent {
  std::vector<ScoreSlot> slots;
  std::vector<ScoreRow> rows;
  SpeedupKind speedup = SpeedupKind::kPaper;
};

enum class ScoreMetric { kCorrectness, kBestSpeedup };

/// Rows and problems as they are drawn: wanted ones that were not run are there, without scores; at
/// least one of each, even when there is nothing at all.
ScoreContent make_score_content(const std::vector<TurnTable>& tables, const ScoreFigure& wanted);

ScoreBar bar_of(const LimitScore& score, ScoreMetric metric);

/// Tidy CSV with a header: a row for each of these problems and rows that was run. Columns of
/// paired speedups have names of their own.
std::string scores_csv(const ScoreContent& content, std::size_t first_slot, std::size_t slots,
                       std::span<const ScoreRow> rows, std::int32_t turns);

}  // namespace ptxbatch
