// Results in the forms of others: turns as CSV, trajectories as chats in JSON lines, correct
// candidates as FlashInfer-Trace solutions and traces.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/run_records.h"

namespace ptxbatch {

/// One row a turn with every field of its plan, its reply and its record that is a number or a
/// short text. Columns are named as in results/SCHEMA.md; those of the reply begin with "reply_".
std::string export_turns_csv(std::span<const RunRecords> runs);

/// One line a trajectory that has a turn:
/// {"messages": [{"role", "content"}, ...], "plan": {...}, "turns": [...], "end": ...}.
/// The messages are those the model had; an assistant's reasoning stands beside its content as
/// "reasoning_content". What the last turn would have been told is not among them.
std::string export_chats(std::span<const RunRecords> runs);

/// A file of an export, below its folder.
struct ExportedFile {
  std::string path;
  std::string contents;
};

/// definitions/, workloads/, solutions/ and traces/ as flashinfer-bench reads them: a solution for
/// every distinct correct candidate on a target, with the trace of the first turn that measured it.
/// Definitions and workloads come from `problems_folder`; an error names one that is not there.
Result<std::vector<ExportedFile>> export_flashinfer_trace(std::span<const RunRecords> runs,
                                                          const std::string& problems_folder);

}  // namespace ptxbatch
