// What can still be read of a journal, however damaged: every good record, also behind damage (each
// frame begins with the journal's marker), and where the file holds none. `ptxbatch recover` reads
// so; a run that goes on never does (journal.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/error.h"
#include "results/records.h"

namespace ptxbatch {

/// Bytes of a file, the end excluded.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

struct JournalSalvage {
  std::uint64_t size_bytes = 0;
  std::uint64_t records = 0;       // frames that pass their checksum
  bool header_damaged = false;     // the marker was then taken from the frames
  std::vector<ByteRange> damaged;  // with a good record behind each
  ByteRange tail;                  // behind the last good record; empty when nothing is there
  /// The tail is not the beginning of a frame that an append left unfinished. A crash of the
  /// machine may leave that of a record that was not synced yet; so may damage of one that was.
  bool tail_may_be_damage = false;
};

struct SalvageVisitor {
  /// A good frame. An error instead of a record: its payload is none that this program knows.
  std::function<Status(std::uint64_t offset, Result<Record>&& record)> record;
  /// Called before the first record behind the damage.
  std::function<Status(ByteRange damaged)> damage;
};

/// Fails when the file cannot be read, is of another version, or holds not one good record although
/// it is longer than a torn header; and with the first error of the visitor.
Result<JournalSalvage> salvage_journal(const std::string& path, const SalvageVisitor& visitor);

}  // namespace ptxbatch
