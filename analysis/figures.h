// The Fast_p figure of a run: one row of panels for each model and target, one column for each
// problem. Drawn by gnuplot, a child process; its script and the numbers stay beside the pictures.
#pragma once

#include <string>
#include <vector>

#include "analysis/conditions.h"
#include "common/error.h"
#include "results/turn_table.h"

namespace ptxbatch {

enum class FigureFormat { kSvg, kPdf };

struct FigureOptions {
  std::string folder;           // made when it does not exist
  std::string name = "fast_p";  // of the files, without extension
  std::vector<FigureFormat> formats = {FigureFormat::kSvg, FigureFormat::kPdf};
  std::string gnuplot = "gnuplot";  // looked up in PATH unless it holds a slash
  SpeedupKind speedup = SpeedupKind::kPaper;
  double timeout_s = 120;  // for each picture
};

/// Writes NAME.csv (the curves and bands), NAME.gp (the script, numbers included) and a picture of
/// each format; gives back their paths, pictures first. kSystem, with gnuplot's own words, when
/// gnuplot is missing or fails; the other files are there then.
Result<std::vector<std::string>> write_figures(const std::vector<TurnTable>& tables,
                                               const FigureOptions& options);

}  // namespace ptxbatch
