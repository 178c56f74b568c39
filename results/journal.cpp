// Writing and reading NAME.h5.journal. How a torn tail is told from damage: a crash can only leave
// the end of the file unfinished, so a bad frame with a good one anywhere behind it is damage.
#include "results/journal.h"

#include <optional>
#include <random>
#include <string_view>

#include "results/journal_file.h"
#include "results/record_codec.h"

namespace ptxbatch {
namespace {

FrameMarker draw_marker() {
  std::random_device device;
  FrameMarker marker = 0;
  while (marker == 0) marker = device();  // zeros are what an unwritten block holds
  return marker;
}

Status visit_payload(const JournalFile& file, std::uint64_t offset, std::string_view payload,
                     const std::function<Status(Record&&, JournalPlace)>& visit) {
  auto record = decode_record(payload);
  if (!record) {
    Error error = record.error();
    error.kind = ErrorKind::kInput;
    error.file = file.path();
    error.what = "at byte " + std::to_string(offset) + ": " + error.what;
    return fail(std::move(error));
  }
  return visit(std::move(*record), offset);
}

Error damage(const JournalFile& file, std::uint64_t bad, std::uint64_t good) {
  return journal_error(
      file.path(), ErrorKind::kInput,
      "the journal is damaged at byte " + std::to_string(bad) +
          " (the next good record begins at byte " + std::to_string(good) + ")",
      "This is not what a crash leaves behind: check the disk. 'ptxbatch recover' with "
      "the results file's name keeps the file aside and goes on with all that is "
      "good in it. Nothing was changed.");
}

}  // namespace

JournalWriter::JournalWriter(std::unique_ptr<AppendFile> file, std::uint64_t size_bytes,
                             std::uint32_t marker)
    : file_(std::move(file)), size_bytes_(size_bytes), synced_bytes_(size_bytes), marker_(marker) {}

Result<JournalWriter> JournalWriter::open(FileSystem& files, const std::string& path,
                                          std::uint64_t good_bytes) {
  FrameMarker marker = draw_marker();
  if (good_bytes > 0) {
    auto old = JournalFile::open(path);
    if (!old) return fail(old.error());
    const auto old_marker = old->read_header();
    if (!old_marker) return fail(old_marker.error());
    if (!*old_marker || old->size_bytes() < good_bytes) {
      return fail(journal_error(path, ErrorKind::kConflict,
                                "the journal became shorter while it was being opened",
                                "Make sure that no other process writes or removes it."));
    }
    marker = **old_marker;
  }
  auto file = files.open_append(path);
  if (!file) return fail(file.error());
  if (auto cut = (*file)->truncate(good_bytes); !cut) return fail(cut.error());
  if (good_bytes == 0) {
    const std::string header = make_journal_header(marker);
    if (auto written = (*file)->append(header); !written) return fail(written.error());
    good_bytes = header.size();
  }
  // Synced before anything follows: a torn header is then never followed by frames, and a cut tail
  // does not come back.
  if (auto synced = (*file)->sync(); !synced) return fail(synced.error());
  return JournalWriter(std::move(*file), good_bytes, marker);
}

Status JournalWriter::append(const Record& record) {
  if (failed_) {
    return fail(ErrorKind::kSystem, "the journal takes no more records after a failed write",
                "Run the same command again when the cause is gone: it resumes.");
  }
  const std::string payload = encode_record(record);
  if (payload.size() > kMaxPayloadBytes) {
    return fail(ErrorKind::kInput,
                "a record of " + std::to_string(payload.size()) + " bytes is larger than the " +
                    std::to_string(kMaxPayloadBytes) + " that the journal takes");
  }
  buffer_.clear();
  append_frame(buffer_, marker_, payload);
  Status written = file_->append(buffer_);
  failed_ = !written;
  if (written) size_bytes_ += buffer_.size();
  return written;
}

// After a failed fsync the kernel may have dropped what was to be written, and yet show it to
// whoever reads the file, until the page is needed for something else; the next fsync says nothing
// of it. So what was not synced is cut off: neither a resume nor a later record may stand on it.
Status JournalWriter::sync() {
  Status synced = file_->sync();
  if (synced) {
    synced_bytes_ = size_bytes_;
    return synced;
  }
  failed_ = true;
  if (auto cut = file_->truncate(synced_bytes_); !cut) {
    synced.error().what += "; nor could what was not synced be cut off the journal (behind byte " +
                           std::to_string(synced_bytes_) + "): " + cut.error().what;
  } else {
    size_bytes_ = synced_bytes_;
  }
  return synced;
}

Result<JournalScan> read_journal(const std::string& path,
                                 const std::function<Status(Record&&)>& visit) {
  return read_journal_with_places(
      path, [&visit](Record&& record, JournalPlace) { return visit(std::move(record)); });
}

Result<JournalScan> read_journal_with_places(
    const std::string& path, const std::function<Status(Record&&, JournalPlace)>& visit) {
  auto file = JournalFile::open(path);
  if (!file) return fail(file.error());
  JournalScan scan;
  const auto marker = file->read_header();
  if (!marker) return fail(marker.error());
  if (!*marker) {
    scan.torn_bytes = file->size_bytes();
    return scan;
  }
  const auto end = file->walk(**marker, {[&](std::uint64_t offset, std::string_view payload) {
                                           ++scan.records;
                                           return visit_payload(*file, offset, payload, visit);
                                         },
                                         [&](std::uint64_t bad, std::uint64_t good) -> Status {
                                           return fail(damage(*file, bad, good));
                                         }});
  if (!end) return fail(end.error());
  scan.good_bytes = *end;
  scan.torn_bytes = file->size_bytes() - *end;
  if (scan.torn_bytes > 0) {
    const auto unfinished = file->is_unfinished_append(*end, **marker);
    if (!unfinished) return fail(unfinished.error());
    scan.tail_may_be_damage = !*unfinished;
  }
  return scan;
}

Result<std::vector<Record>> read_journal_records(const std::string& path,
                                                 const std::vector<JournalPlace>& places) {
  // The places lie far apart: reading on behind a record would be for nothing.
  constexpr std::size_t kAboutOneRecord = 32U << 10U;
  std::vector<Record> records;
  if (places.empty()) return records;
  auto file = JournalFile::open(path, kAboutOneRecord);
  if (!file) return fail(file.error());
  const auto marker = file->read_header();
  if (!marker) return fail(marker.error());
  for (const JournalPlace place : places) {
    std::optional<std::string_view> payload;
    if (*marker) {
      const auto frame = file->frame_at(place, **marker);
      if (!frame) return fail(frame.error());
      payload = *frame;
    }
    if (!payload) {
      return fail(journal_error(path, ErrorKind::kInput,
                                "the journal has no whole record at byte " + std::to_string(place),
                                "It was there when the journal was opened: check the disk."));
    }
    const auto keep = [&records](Record&& record, JournalPlace) -> Status {
      records.push_back(std::move(record));
      return {};
    };
    if (auto kept = visit_payload(*file, place, *payload, keep); !kept) return fail(kept.error());
  }
  return records;
}

}  // namespace ptxbatch
