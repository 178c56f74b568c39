#include "results/journal_salvage.h"

#include <algorithm>
#include <optional>

#include "results/journal_file.h"
#include "results/record_codec.h"

namespace ptxbatch {
namespace {

std::optional<FrameMarker> marker_at(JournalFile& file, std::uint64_t offset) {
  const auto bytes = file.view(offset, sizeof(FrameMarker));
  return bytes ? read_marker(*bytes) : std::nullopt;
}

// A header that fails its checksum still holds the marker, unless that is what was hit; the first
// frame repeats it. Whichever some good frame begins with is the marker.
Result<FrameMarker> marker_without_header(JournalFile& file) {
  for (const std::uint64_t place :
       {std::uint64_t{kMarkerInHeader}, std::uint64_t{kJournalHeaderBytes}}) {
    const auto marker = marker_at(file, place);
    if (!marker || *marker == 0) continue;
    const auto frame = file.find_frame(0, *marker);
    if (!frame) return fail(frame.error());
    if (*frame) return *marker;
  }
  return fail(journal_error(file.path(), ErrorKind::kInput,
                            "no record can be read: the file is not a ptxbatch journal, or its "
                            "beginning is damaged beyond reading",
                            "Restore it from a copy. Nothing was changed."));
}

/// Nothing when a crash left less than a header.
Result<std::optional<FrameMarker>> find_marker(JournalFile& file, JournalSalvage& salvage) {
  const auto start = file.view(0, kJournalHeaderBytes);
  if (!start) return fail(start.error());
  const bool damaged = file.size_bytes() > kJournalHeaderBytes && !parse_journal_header(*start);
  if (!damaged) return file.read_header();
  const auto marker = marker_without_header(file);
  if (!marker) return fail(marker.error());
  salvage.header_damaged = true;
  return *marker;
}

}  // namespace

Result<JournalSalvage> salvage_journal(const std::string& path, const SalvageVisitor& visitor) {
  auto file = JournalFile::open(path);
  if (!file) return fail(file.error());
  JournalSalvage salvage;
  salvage.size_bytes = file->size_bytes();
  const auto marker = find_marker(*file, salvage);
  if (!marker) return fail(marker.error());
  if (!*marker) {
    salvage.tail = {0, salvage.size_bytes};
    return salvage;
  }
  const auto end = file->walk(**marker, {[&](std::uint64_t offset, std::string_view payload) {
                                           ++salvage.records;
                                           return visitor.record(offset, decode_record(payload));
                                         },
                                         [&](std::uint64_t bad, std::uint64_t good) {
                                           salvage.damaged.push_back({bad, good});
                                           return visitor.damage(salvage.damaged.back());
                                         }});
  if (!end) return fail(end.error());
  salvage.tail = {*end, salvage.size_bytes};
  if (salvage.tail.size() > 0) {
    const auto unfinished = file->is_unfinished_append(*end, **marker);
    if (!unfinished) return fail(unfinished.error());
    salvage.tail_may_be_damage = !*unfinished;
  }
  return salvage;
}

}  // namespace ptxbatch
