#include "results/journal_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ptxbatch {
namespace {

Error read_error(const std::string& path) {
  Error error = system_error("cannot read the journal", errno);
  error.file = path;
  return error;
}

}  // namespace

Error journal_error(const std::string& path, ErrorKind kind, std::string what, std::string hint) {
  return Error{kind, std::move(what), std::move(hint), path, 0, 0, {}};
}

Result<JournalFile> JournalFile::open(const std::string& path, std::size_t read_ahead_bytes) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return fail(read_error(path));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail(read_error(path));
  return JournalFile(std::move(fd), path, static_cast<std::uint64_t>(info.st_size),
                     read_ahead_bytes);
}

Result<std::string_view> JournalFile::view(std::uint64_t offset, std::size_t count) {
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

Status JournalFile::fill(std::uint64_t offset, std::size_t count) {
  start_ = offset;
  buffer_.resize(count);
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(fd_.get(), buffer_.data() + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(read_error(path_));
    if (got == 0) break;  // somebody cut the file meanwhile
    done += static_cast<std::size_t>(got);
  }
  buffer_.resize(done);
  return {};
}

Result<std::optional<FrameMarker>> JournalFile::read_header() {
  const auto bytes = view(0, kJournalHeaderBytes);
  if (!bytes) return fail(bytes.error());
  const std::optional<JournalHeader> header = parse_journal_header(*bytes);
  if (!header) {
    if (size_bytes_ <= kJournalHeaderBytes && is_torn_journal_header(*bytes)) return std::nullopt;
    return fail(journal_error(path_, ErrorKind::kInput,
                              "the file is not a ptxbatch journal, or its first bytes are damaged",
                              "'ptxbatch recover' with the results file's name saves what is "
                              "readable; or restore it from a copy, or name another output file."));
  }
  if (header->version != kJournalVersion) {
    return fail(journal_error(path_, ErrorKind::kInput,
                              "the journal has format version " + std::to_string(header->version) +
                                  "; this program reads version " + std::to_string(kJournalVersion),
                              "Go on with the version of ptxbatch that wrote it."));
  }
  return header->marker;
}

Result<std::optional<std::string_view>> JournalFile::frame_at(std::uint64_t offset,
                                                              FrameMarker marker) {
  const auto start = view(offset, kFrameHeaderBytes);
  if (!start) return fail(start.error());
  const std::optional<FrameHeader> header = parse_frame_header(*start, marker);
  if (!header || offset + kFrameHeaderBytes + header->payload_bytes > size_bytes_) {
    return std::nullopt;
  }
  const auto payload = view(offset + kFrameHeaderBytes, header->payload_bytes);
  if (!payload) return fail(payload.error());
  if (!payload_matches(*header, *payload)) return std::nullopt;
  return *payload;
}

Result<std::optional<std::uint64_t>> JournalFile::find_frame(std::uint64_t offset,
                                                             FrameMarker marker) {
  constexpr std::size_t kStep = 1U << 18U;
  const std::string wanted = marker_bytes(marker);
  while (offset + kFrameHeaderBytes < size_bytes_) {
    const auto bytes = view(offset, kStep);
    if (!bytes) return fail(bytes.error());
    const std::size_t hit = bytes->find(wanted);
    if (hit == std::string_view::npos) {
      if (bytes->size() < wanted.size()) break;
      offset += bytes->size() - (wanted.size() - 1);  // a marker may straddle the step
      continue;
    }
    const auto frame = frame_at(offset + hit, marker);
    if (!frame) return fail(frame.error());
    if (*frame) return offset + hit;
    offset += hit + 1;
  }
  return std::nullopt;
}

Result<bool> JournalFile::is_unfinished_append(std::uint64_t offset, FrameMarker marker) {
  const auto start = view(offset, kFrameHeaderBytes);
  if (!start) return fail(start.error());
  if (std::all_of(start->begin(), start->end(), [](char c) { return c == '\0'; })) return true;
  if (!marker_bytes(marker).starts_with(start->substr(0, sizeof marker))) return false;
  if (start->size() < kFrameHeaderBytes) return true;
  const auto header = parse_frame_header(*start, marker);
  return header && size_bytes_ - offset < kFrameHeaderBytes + header->payload_bytes;
}

Result<std::uint64_t> JournalFile::walk(FrameMarker marker, const Visitor& visitor) {
  std::uint64_t offset = kJournalHeaderBytes;
  while (offset < size_bytes_) {
    const auto payload = frame_at(offset, marker);
    if (!payload) return fail(payload.error());
    if (*payload) {
      const std::uint64_t end = offset + kFrameHeaderBytes + (*payload)->size();
      if (auto seen = visitor.frame(offset, **payload); !seen) return fail(seen.error());
      offset = end;
      continue;
    }
    const auto later = find_frame(offset + 1, marker);
    if (!later) return fail(later.error());
    if (!*later) break;
    if (auto seen = visitor.damage(offset, **later); !seen) return fail(seen.error());
    offset = **later;
  }
  return offset;
}

}  // namespace ptxbatch
