// The journal's bytes (JOURNAL.md): the header and the frames, made and recognised. No files here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptxbatch {

inline constexpr std::size_t kJournalHeaderBytes = 20;
inline constexpr std::size_t kFrameHeaderBytes = 12;
inline constexpr std::uint32_t kMaxPayloadBytes = 256U << 20U;
inline constexpr std::uint32_t kJournalVersion = 1;

/// Begins every frame of one journal, drawn at random when it is made: bytes of another journal, or
/// of a text inside a record, cannot pass for a frame of this one.
using FrameMarker = std::uint32_t;

/// Where a journal's header holds the marker.
inline constexpr std::size_t kMarkerInHeader = 12;

/// The marker as it stands in a file, and back; nullopt when `bytes` are too few.
std::string marker_bytes(FrameMarker marker);
std::optional<FrameMarker> read_marker(std::string_view bytes);

std::string make_journal_header(FrameMarker marker, std::uint32_t version = kJournalVersion);

struct JournalHeader {
  std::uint32_t version = 0;
  FrameMarker marker = 0;
};
/// nullopt when the first kJournalHeaderBytes of `bytes` are not a header (its own CRC included).
std::optional<JournalHeader> parse_journal_header(std::string_view bytes);

/// Whether a whole file of these bytes may be what a crash left of a header that was being written.
/// (A header is synced before the first frame follows, so such a file is never longer.)
bool is_torn_journal_header(std::string_view bytes);

/// Appends the frame of `payload` (1 to kMaxPayloadBytes) to `bytes`.
void append_frame(std::string& bytes, FrameMarker marker, std::string_view payload);

struct FrameHeader {
  std::uint32_t payload_bytes = 0;
  std::uint32_t crc = 0;
};
/// nullopt when kFrameHeaderBytes at `bytes` do not begin a frame: wrong marker, impossible length.
std::optional<FrameHeader> parse_frame_header(std::string_view bytes, FrameMarker marker);
bool payload_matches(const FrameHeader& header, std::string_view payload);

}  // namespace ptxbatch
