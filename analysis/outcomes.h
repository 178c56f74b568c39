// The outcomes of turns as figures show them: the paper's nine labels, the three rare ones
// together, each with a colour and a letter. Neighbours in a stack differ in lightness and every
// block that is tall enough carries its letter, so that a grey print can be read.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "results/records.h"

namespace ptxbatch {

struct Outcome {
  std::string_view name;
  std::string_view letter;
  std::string_view color;
  bool dark = false;  // letters on it are white
};

/// From the bottom of a stack to its top.
inline constexpr std::array<Outcome, 7> kOutcomes = {{
    {"Correct", "C", "#12436D", true},
    {"Numerical error", "N", "#8CBEE6", false},
    {"Kernel execution timeout", "K", "#F2D06B", false},
    {"Runtime error", "R", "#C2541B", true},
    {"Compilation error", "P", "#EDB9A0", false},
    {"Extraction error", "E", "#6E6E6E", true},
    {"Other error or timeout", "O", "#CFCFCF", false},
}};

/// Index in kOutcomes.
constexpr std::size_t outcome_of(Label label) {
  switch (label) {
    case Label::kCorrect:
      return 0;
    case Label::kNumericalError:
      return 1;
    case Label::kKernelExecutionTimeout:
      return 2;
    case Label::kRuntimeError:
      return 3;
    case Label::kCompilationError:
      return 4;
    case Label::kExtractionError:
      return 5;
    default:
      return 6;
  }
}

}  // namespace ptxbatch
