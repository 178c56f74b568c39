// NAME.h5.journal: the truth while a run is active. An append-only log of frames, each a marker, a
// length and a CRC-32 before the CBOR of one record (JOURNAL.md). Written by the coordinator alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/file_system.h"
#include "results/records.h"

namespace ptxbatch {

/// Where a record begins: its offset in the journal.
using JournalPlace = std::uint64_t;

class JournalWriter {
 public:
  /// Opens for appending after `good_bytes` (what read_journal found good); a torn tail behind it
  /// is cut off. 0 starts a new journal, whatever the file holds. Synced when this returns.
  static Result<JournalWriter> open(FileSystem& files, const std::string& path,
                                    std::uint64_t good_bytes);

  /// Appends without syncing. After any failure the writer refuses further appends.
  Status append(const Record& record);
  /// Everything appended so far survives a power loss once this returns without an error. On an
  /// error what was appended since the last good sync is cut off again.
  Status sync();
  /// Also the place of the record that is appended next.
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  JournalWriter(std::unique_ptr<AppendFile> file, std::uint64_t size_bytes, std::uint32_t marker);

  std::unique_ptr<AppendFile> file_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t synced_bytes_ = 0;  // what the last good sync has made safe
  std::uint32_t marker_ = 0;        // begins each frame
  std::string buffer_;
  bool failed_ = false;
};

struct JournalScan {
  std::uint64_t good_bytes = 0;  // where the last whole good record ends
  std::uint64_t records = 0;
  std::uint64_t torn_bytes = 0;  // the tail behind it: what a crash during an append leaves
  /// The tail is not the beginning of a frame that an append left unfinished, nor blocks that were
  /// never filled. A crash of the machine may leave that of a record that was not synced yet; so
  /// may damage of one that was.
  bool tail_may_be_damage = false;
};

/// Calls `visit` for each record in order, in constant memory. A torn tail is forgiven and
/// reported; damage before the tail is an error that names the offset. An error from `visit` stops
/// the scan and is returned.
Result<JournalScan> read_journal(const std::string& path,
                                 const std::function<Status(Record&&)>& visit);
/// The same for those that come back for some of the records.
Result<JournalScan> read_journal_with_places(
    const std::string& path, const std::function<Status(Record&&, JournalPlace)>& visit);

/// The records at these places, in this order; an error names the first where there is none.
Result<std::vector<Record>> read_journal_records(const std::string& path,
                                                 const std::vector<JournalPlace>& places);

}  // namespace ptxbatch
