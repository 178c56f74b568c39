// A journal open for reading: its frames at any offset, in memory bound by the largest frame. Both
// the strict reader (journal.h) and the one that salvages a damaged file (journal_salvage.h) read
// through it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/unique_fd.h"
#include "results/journal_frames.h"

namespace ptxbatch {

class JournalFile {
 public:
  struct Visitor {
    /// A good frame.
    std::function<Status(std::uint64_t offset, std::string_view payload)> frame;
    /// No good frame begins in [bad, good); at `good` the next one does.
    std::function<Status(std::uint64_t bad, std::uint64_t good)> damage;
  };

  static constexpr std::size_t kReadAheadBytes = 1U << 20U;
  static Result<JournalFile> open(const std::string& path,
                                  std::size_t read_ahead_bytes = kReadAheadBytes);

  /// Of the file when it was opened: a writer may be appending meanwhile.
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The bytes at `offset`, fewer than `count` only at the end of the file; valid until the next
  /// call of any function here.
  Result<std::string_view> view(std::uint64_t offset, std::size_t count);

  /// The marker of the frames; nullopt when a crash left less than a header. An error when the
  /// header is damaged, or of another version.
  Result<std::optional<FrameMarker>> read_header();

  /// The payload of the whole, undamaged frame at `offset`; nullopt when there is none.
  Result<std::optional<std::string_view>> frame_at(std::uint64_t offset, FrameMarker marker);

  /// Where the next good frame at or behind `offset` begins, looked for byte by byte.
  Result<std::optional<std::uint64_t>> find_frame(std::uint64_t offset, FrameMarker marker);

  /// Whether the bytes from `offset` to the end, in which no good frame begins, are what a write
  /// that was cut short leaves: a frame's beginning, or blocks that were never filled.
  Result<bool> is_unfinished_append(std::uint64_t offset, FrameMarker marker);

  /// Visits the frames behind the header in their order. Returns where the last good one ends, or
  /// the visitor's first error.
  Result<std::uint64_t> walk(FrameMarker marker, const Visitor& visitor);

 private:
  JournalFile(UniqueFd fd, std::string path, std::uint64_t size_bytes, std::size_t read_ahead_bytes)
      : fd_(std::move(fd)),
        path_(std::move(path)),
        size_bytes_(size_bytes),
        read_ahead_bytes_(read_ahead_bytes) {}
  Status fill(std::uint64_t offset, std::size_t count);

  UniqueFd fd_;
  std::string path_;
  std::uint64_t size_bytes_;
  std::size_t read_ahead_bytes_;
  std::uint64_t start_ = 0;
  std::string buffer_;
};

/// An error of kind kInput that names the journal.
Error journal_error(const std::string& path, ErrorKind kind, std::string what,
                    std::string hint = {});

}  // namespace ptxbatch
