// Writes figures into a folder: each as SVG and PDF, with its numbers and its gnuplot script beside
// them. gnuplot is a child process.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/figure.h"
#include "common/error.h"

namespace ptxbatch {

enum class FigureFormat { kSvg, kPdf };

struct FigureOptions {
  std::string folder;  // made when it does not exist
  std::vector<FigureFormat> formats = {FigureFormat::kSvg, FigureFormat::kPdf};
  std::string gnuplot = "gnuplot";  // looked up in PATH unless it holds a slash
  double timeout_s = 120;           // for each picture
};

/// Writes NAME.csv, NAME.gp and a picture of each format for every figure; gives back their paths,
/// figure by figure, pictures first. kSystem, with gnuplot's own words, when gnuplot is missing or
/// fails; the numbers and scripts of all figures are there then.
Result<std::vector<std::string>> write_figures(std::span<const Figure> figures,
                                               const FigureOptions& options);

}  // namespace ptxbatch
