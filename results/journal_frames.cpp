#include "results/journal_frames.h"

#include <zlib.h>

#include <algorithm>

namespace ptxbatch {
namespace {

constexpr std::string_view kMagic = "PTXBJRNL";

void append_u32(std::string& bytes, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
}

std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

std::uint32_t crc_of(std::string_view bytes, std::uint32_t start = 0) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(start, data, bytes.size()));
}

// The length is part of what is checked, so that a flipped bit in it is seen.
std::uint32_t frame_crc(std::uint32_t payload_bytes, std::string_view payload) {
  std::string length;
  append_u32(length, payload_bytes);
  return crc_of(payload, crc_of(length));
}

}  // namespace

std::string marker_bytes(FrameMarker marker) {
  std::string bytes;
  append_u32(bytes, marker);
  return bytes;
}

std::optional<FrameMarker> read_marker(std::string_view bytes) {
  if (bytes.size() < sizeof(FrameMarker)) return std::nullopt;
  return read_u32(bytes, 0);
}

std::string make_journal_header(FrameMarker marker, std::uint32_t version) {
  std::string bytes(kMagic);
  append_u32(bytes, version);
  append_u32(bytes, marker);
  append_u32(bytes, crc_of(bytes));
  return bytes;
}

std::optional<JournalHeader> parse_journal_header(std::string_view bytes) {
  if (bytes.size() < kJournalHeaderBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  if (read_u32(bytes, 16) != crc_of(bytes.substr(0, 16))) return std::nullopt;
  return JournalHeader{read_u32(bytes, 8), read_u32(bytes, kMarkerInHeader)};
}

bool is_torn_journal_header(std::string_view bytes) {
  const bool zeros = std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
  const std::string_view magic_read = bytes.substr(0, kMagic.size());
  return bytes.size() <= kJournalHeaderBytes && (zeros || kMagic.starts_with(magic_read));
}

void append_frame(std::string& bytes, FrameMarker marker, std::string_view payload) {
  const auto payload_bytes = static_cast<std::uint32_t>(payload.size());
  append_u32(bytes, marker);
  append_u32(bytes, payload_bytes);
  append_u32(bytes, frame_crc(payload_bytes, payload));
  bytes += payload;
}

std::optional<FrameHeader> parse_frame_header(std::string_view bytes, FrameMarker marker) {
  if (bytes.size() < kFrameHeaderBytes || read_u32(bytes, 0) != marker) return std::nullopt;
  const FrameHeader header{read_u32(bytes, 4), read_u32(bytes, 8)};
  if (header.payload_bytes == 0 || header.payload_bytes > kMaxPayloadBytes) return std::nullopt;
  return header;
}

bool payload_matches(const FrameHeader& header, std::string_view payload) {
  return payload.size() == header.payload_bytes &&
         frame_crc(header.payload_bytes, payload) == header.crc;
}

}  // namespace ptxbatch
