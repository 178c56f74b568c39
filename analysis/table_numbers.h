// What tables are made of, computed once, and the notes that stand below them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/conditions.h"
#include "analysis/metrics.h"
#include "analysis/score_cells.h"
#include "analysis/sheet.h"

namespace ptxbatch {

struct TableNumbers {
  TableNumbers(std::span<const TurnTable> all, Conditions grouped,
               std::span<const std::int32_t> limits, SpeedupKind speedup, bool intervals);

  std::span<const TurnTable> tables;
  Conditions conditions;
  ScoredConditions scored;
  std::vector<LabelCounts> labels;  // [condition]
};

/// "1 turn", "2 turns".
std::string counted(std::int64_t count, std::string_view one, std::string_view many);

/// Of a run that is not complete: how far it is.
std::string unfinished_note(const TurnTable& table);

/// Adds what a reader of cells of these conditions must know: what a cell is, how many
/// trajectories there are, what is unknown or unfinished.
void add_score_notes(Sheet& sheet, const TableNumbers& numbers,
                     const std::vector<std::uint32_t>& which, TableKind kind,
                     const CellStyle& style);
/// Of them, those on files alone.
void add_run_notes(Sheet& sheet, const TableNumbers& numbers,
                   const std::vector<std::uint32_t>& which);

/// A sentence for each target that these conditions ran on several kinds of device: their numbers
/// do not belong together.
std::vector<std::string> device_notes(std::span<const TurnTable> tables,
                                      const Conditions& conditions,
                                      const std::vector<std::uint32_t>& which);
/// Of all conditions.
std::vector<std::string> device_notes(std::span<const TurnTable> tables);

/// Adds device_notes.
void add_device_note(Sheet& sheet, const TableNumbers& numbers,
                     const std::vector<std::uint32_t>& which);

/// Tables that are read one after the other share their notes: each is said once, below the last.
void share_notes(std::vector<Sheet>& sheets);

}  // namespace ptxbatch
