// Writing and reading NAME.h5.journal. How a torn tail is told from damage: a crash can only leave
// the end of the file unfinished, so a bad frame with a good one anywhere behind it is damage.
#include "results/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <random>
#include <string_view>

#include "common/unique_fd.h"
#include "results/journal_frames.h"
#include "results/record_codec.h"

namespace ptxbatch {
namespace {

Error journal_error(const std::string& path, ErrorKind kind, std::string what,
                    std::string hint = {}) {
  return Error{kind, std::move(what), std::move(hint), path, 0, 0, {}};
}

FrameMarker draw_marker() {
  std::random_device device;
  FrameMarker marker = 0;
  while (marker == 0) marker = device();  // zeros are what an unwritten block holds
  return marker;
}

/// A file read at any offset through one buffer, so that memory is bound by the largest frame.
class ReadWindow {
 public:
  static Result<ReadWindow> open(const std::string& path,
                                 std::size_t read_ahead_bytes = kReadAheadBytes) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return fail(read_error(path));
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return fail(read_error(path));
    return ReadWindow(std::move(fd), path, static_cast<std::uint64_t>(info.st_size),
                      read_ahead_bytes);
  }

  /// Of the file when it was opened: a writer may be appending meanwhile.
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The bytes at `offset`, fewer than `count` only at the end of the file; valid until the next
  /// call.
  Result<std::string_view> view(std::uint64_t offset, std::size_t count) {
    const std::uint64_t left = size_bytes_ - std::min(size_bytes_, offset);
    count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
    if (offset < start_ || offset + count > start_ + buffer_.size()) {
      const auto wanted = std::max(count, read_ahead_bytes_);
      if (auto filled = fill(offset, std::min<std::uint64_t>(wanted, left)); !filled) {
        return fail(filled.error());
      }
      count = std::min(count, buffer_.size());
    }
    return std::string_view(buffer_).substr(static_cast<std::size_t>(offset - start_), count);
  }

 private:
  static constexpr std::size_t kReadAheadBytes = 1U << 20U;

  ReadWindow(UniqueFd fd, std::string path, std::uint64_t size_bytes, std::size_t read_ahead_bytes)
      : fd_(std::move(fd)),
        path_(std::move(path)),
        size_bytes_(size_bytes),
        read_ahead_bytes_(read_ahead_bytes) {}

  static Error read_error(const std::string& path) {
    Error error = system_error("cannot read the journal", errno);
    error.file = path;
    return error;
  }

  Status fill(std::uint64_t offset, std::size_t count) {
    start_ = offset;
    buffer_.resize(count);
    std::size_t done = 0;
    while (done < count) {
      const ssize_t got = ::pread(fd_.get(), buffer_.data() + done, count - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(read_error(path_));
      if (got == 0) break;  // somebody cut the file meanwhile
      done += static_cast<std::size_t>(got);
    }
    buffer_.resize(done);
    return {};
  }

  UniqueFd fd_;
  std::string path_;
  std::uint64_t size_bytes_;
  std::size_t read_ahead_bytes_;
  std::uint64_t start_ = 0;
  std::string buffer_;
};

/// The payload of the whole, undamaged frame at `offset`; nullopt when there is none.
Result<std::optional<std::string_view>> frame_at(ReadWindow& file, std::uint64_t offset,
                                                 FrameMarker marker) {
  const auto start = file.view(offset, kFrameHeaderBytes);
  if (!start) return fail(start.error());
  const std::optional<FrameHeader> header = parse_frame_header(*start, marker);
  if (!header || offset + kFrameHeaderBytes + header->payload_bytes > file.size_bytes()) {
    return std::nullopt;
  }
  const auto payload = file.view(offset + kFrameHeaderBytes, header->payload_bytes);
  if (!payload) return fail(payload.error());
  if (!payload_matches(*header, *payload)) return std::nullopt;
  return *payload;
}

/// Where the next good frame behind `offset` begins, looked for byte by byte.
Result<std::optional<std::uint64_t>> find_frame(ReadWindow& file, std::uint64_t offset,
                                                FrameMarker marker) {
  constexpr std::size_t kStep = 1U << 18U;
  std::string frame_start;
  append_frame(frame_start, marker, "");
  const std::string wanted = frame_start.substr(0, sizeof marker);
  while (offset + kFrameHeaderBytes < file.size_bytes()) {
    const auto bytes = file.view(offset, kStep);
    if (!bytes) return fail(bytes.error());
    const std::size_t hit = bytes->find(wanted);
    if (hit == std::string_view::npos) {
      if (bytes->size() < wanted.size()) break;
      offset += bytes->size() - (wanted.size() - 1);  // a marker may straddle the step
      continue;
    }
    const auto frame = frame_at(file, offset + hit, marker);
    if (!frame) return fail(frame.error());
    if (*frame) return offset + hit;
    offset += hit + 1;
  }
  return std::nullopt;
}

/// The marker of a journal's frames; nullopt when a crash left less than a header.
Result<std::optional<FrameMarker>> read_header(ReadWindow& file) {
  const auto bytes = file.view(0, kJournalHeaderBytes);
  if (!bytes) return fail(bytes.error());
  const std::optional<JournalHeader> header = parse_journal_header(*bytes);
  if (!header) {
    if (file.size_bytes() <= kJournalHeaderBytes && is_torn_journal_header(*bytes)) {
      return std::nullopt;
    }
    return fail(journal_error(file.path(), ErrorKind::kInput,
                              "the file is not a ptxbatch journal, or its first bytes are damaged",
                              "Restore it from a copy, or name another output file."));
  }
  if (header->version != kJournalVersion) {
    return fail(journal_error(file.path(), ErrorKind::kInput,
                              "the journal has format version " + std::to_string(header->version) +
                                  "; this program reads version " + std::to_string(kJournalVersion),
                              "Go on with the version of ptxbatch that wrote it."));
  }
  return header->marker;
}

Status visit_payload(const ReadWindow& file, std::uint64_t offset, std::string_view payload,
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

Error damage(const ReadWindow& file, std::uint64_t bad, std::uint64_t good) {
  return journal_error(file.path(), ErrorKind::kInput,
                       "the journal is damaged at byte " + std::to_string(bad) +
                           " (the next good record begins at byte " + std::to_string(good) + ")",
                       "This is not what a crash leaves behind: check the disk, and restore the "
                       "file from a copy if there is one. Nothing was changed.");
}

}  // namespace

JournalWriter::JournalWriter(std::unique_ptr<AppendFile> file, std::uint64_t size_bytes,
                             std::uint32_t marker)
    : file_(std::move(file)), size_bytes_(size_bytes), marker_(marker) {}

Result<JournalWriter> JournalWriter::open(FileSystem& files, const std::string& path,
                                          std::uint64_t good_bytes) {
  FrameMarker marker = draw_marker();
  if (good_bytes > 0) {
    auto old = ReadWindow::open(path);
    if (!old) return fail(old.error());
    const auto old_marker = read_header(*old);
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

Status JournalWriter::sync() {
  Status synced = file_->sync();
  // After a failed fsync the kernel may have dropped what was to be written: nothing appended
  // later could be trusted to stand behind it.
  failed_ = failed_ || !synced;
  return synced;
}

Result<JournalScan> read_journal(const std::string& path,
                                 const std::function<Status(Record&&)>& visit) {
  return read_journal_with_places(
      path, [&visit](Record&& record, JournalPlace) { return visit(std::move(record)); });
}

Result<JournalScan> read_journal_with_places(
    const std::string& path, const std::function<Status(Record&&, JournalPlace)>& visit) {
  auto file = ReadWindow::open(path);
  if (!file) return fail(file.error());
  JournalScan scan;
  const auto marker = read_header(*file);
  if (!marker) return fail(marker.error());
  if (!*marker) {
    scan.torn_bytes = file->size_bytes();
    return scan;
  }
  std::uint64_t offset = kJournalHeaderBytes;
  while (offset < file->size_bytes()) {
    const auto payload = frame_at(*file, offset, **marker);
    if (!payload) return fail(payload.error());
    if (!*payload) {
      const auto later = find_frame(*file, offset + 1, **marker);
      if (!later) return fail(later.error());
      if (*later) return fail(damage(*file, offset, **later));
      break;
    }
    const std::uint64_t end = offset + kFrameHeaderBytes + (*payload)->size();
    if (auto visited = visit_payload(*file, offset, **payload, visit); !visited) {
      return fail(visited.error());
    }
    ++scan.records;
    offset = end;
  }
  scan.good_bytes = offset;
  scan.torn_bytes = file->size_bytes() - offset;
  return scan;
}

Result<std::vector<Record>> read_journal_records(const std::string& path,
                                                 const std::vector<JournalPlace>& places) {
  // The places lie far apart: reading on behind a record would be for nothing.
  constexpr std::size_t kAboutOneRecord = 32U << 10U;
  std::vector<Record> records;
  if (places.empty()) return records;
  auto file = ReadWindow::open(path, kAboutOneRecord);
  if (!file) return fail(file.error());
  const auto marker = read_header(*file);
  if (!marker) return fail(marker.error());
  for (const JournalPlace place : places) {
    std::optional<std::string_view> payload;
    if (*marker) {
      const auto frame = frame_at(*file, place, **marker);
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
