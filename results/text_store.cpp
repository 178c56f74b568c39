#include "results/text_store.h"

namespace ptxbatch {
namespace {

constexpr std::int64_t kShortText = 256;
constexpr std::size_t kMostShortTexts = 1U << 16U;

Hdf5Handle byte_type() {
  return {H5Tcopy(H5T_STD_U8LE), H5Tclose};
}

}  // namespace

Result<TextWriter> TextWriter::create(hid_t file) {
  auto texts = TableWriter<TextRow>::create(file, schema::kTexts);
  if (!texts) return fail(texts.error());
  auto bytes = DatasetWriter::create(file, schema::kTextBytes, byte_type(), 1);
  if (!bytes) return fail(bytes.error());
  return TextWriter(std::move(*texts), std::move(*bytes));
}

Result<TextRef> TextWriter::put(std::string_view text) {
  if (text.empty()) return -1;
  std::string sha256 = sha256_hex(text);
  const auto [entry, is_new] = known_.try_emplace(half_of(sha256), texts_.size());
  if (is_new) {
    const TextRow row{{std::move(sha256)}, bytes_.size(), static_cast<std::int64_t>(text.size())};
    PTXBATCH_RETURN_IF_ERROR(texts_.append(row));
    PTXBATCH_RETURN_IF_ERROR(bytes_.append(text.data(), text.size()));
  }
  return entry->second;
}

Status TextWriter::finish() {
  PTXBATCH_RETURN_IF_ERROR(texts_.finish());
  return bytes_.finish();
}

Result<TextReader> TextReader::open(hid_t file, const std::string& path) {
  auto texts = TableReader<TextRow>::open(file, path, schema::kTexts);
  if (!texts) return fail(texts.error());
  std::vector<Place> places;
  places.reserve(static_cast<std::size_t>(texts->size()));
  TextRow row;
  while (true) {
    const auto more = texts->next(row);
    if (!more) return fail(more.error());
    if (!*more) break;
    places.push_back({row.offset, row.size});
  }
  auto bytes = DatasetReader::open(file, path, schema::kTextBytes);
  if (!bytes) return fail(bytes.error());
  bytes->read_as(byte_type());
  return TextReader(std::move(places), std::move(*bytes));
}

Result<std::string> TextReader::get(TextRef ref) {
  if (ref == -1) return std::string();
  if (ref < 0 || ref >= static_cast<TextRef>(places_.size())) {
    return fail(bytes_.error("a row names text " + std::to_string(ref) + ", which is not there"));
  }
  if (const auto known = short_texts_.find(ref); known != short_texts_.end()) return known->second;
  const Place place = places_[static_cast<std::size_t>(ref)];
  // Checked before memory is taken for it.
  if (place.size < 0 || place.size > bytes_.size()) {
    return fail(bytes_.error("text " + std::to_string(ref) + " is longer than all texts together"));
  }
  std::string text(static_cast<std::size_t>(place.size), '\0');
  PTXBATCH_RETURN_IF_ERROR(bytes_.read(place.offset, place.size, text.data()));
  if (place.size <= kShortText && short_texts_.size() < kMostShortTexts) {
    short_texts_.emplace(ref, text);
  }
  return text;
}

}  // namespace ptxbatch
