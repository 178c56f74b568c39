// `ptxbatch recover`: NAME.h5 rebuilt from NAME.h5.journal alone, with everything checked that can
// be: checksums of frames, the order and the references of records, and the written file by reading
// it back. Of a damaged journal all is saved that is good and still hangs together; what NAME.h5
// holds from its last checkpoint fills in where the journal lost it. The damaged file is kept
// aside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/file_system.h"
#include "results/journal_salvage.h"

namespace ptxbatch {

struct RecoveryReport {
  /// A good record that was left out, since it needs one that is lost.
  struct LeftOut {
    std::optional<std::uint64_t> offset;  // in the journal; else it stood in the results file
    std::string why;
  };

  std::optional<JournalSalvage> journal;  // absent: there is none
  bool has_results = false;               // NAME.h5 was there and readable
  std::string results_damage;             // why it was not readable
  std::uint64_t from_results = 0;         // records that only NAME.h5 still held
  std::vector<ByteRange> lost;            // damaged ranges that NAME.h5 does not make up for
  std::vector<LeftOut> left_out;
  std::vector<std::string> doubts;  // RecordCheck's

  std::size_t trajectories = 0;
  std::size_t ended = 0;
  std::size_t failed = 0;
  std::int64_t turns = 0;
  std::int64_t replies = 0;
  std::size_t prompts = 0;
  bool complete = false;

  bool results_written = false;
  bool journal_written = false;
  std::string journal_kept_as;
  std::string results_kept_as;

  /// Whether everything is there that was ever synced, as far as can be told.
  [[nodiscard]] bool lossless() const;
};

/// With `write` false it only looks, at a run that goes on as well. Else an error when the run is
/// still being written (its lock). An error when there is nothing to recover from, or when a file
/// cannot be written; the old NAME.h5 and journal are then as they were.
Result<RecoveryReport> recover_results(FileSystem& files, const std::string& results_path,
                                       bool write);

}  // namespace ptxbatch
