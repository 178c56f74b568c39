// Long texts (prompts, replies, sources, feedback, compiler output, instructions), each stored
// once: /text_bytes holds them one behind the other, /texts says where, other tables name a row of
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/hash.h"
#include "results/schema.h"

namespace ptxbatch {

/// Its memory grows with the number of distinct texts (some 60 bytes each), not with their size.
class TextWriter {
 public:
  static Result<TextWriter> create(hid_t file);
  Result<TextRef> put(std::string_view text);
  Status finish();

 private:
  TextWriter(TableWriter<TextRow> texts, DatasetWriter bytes)
      : texts_(std::move(texts)), bytes_(std::move(bytes)) {}

  TableWriter<TextRow> texts_;
  DatasetWriter bytes_;
  std::unordered_map<HalfHash, TextRef, HalfHashBucket> known_;
};

class TextReader {
 public:
  static Result<TextReader> open(hid_t file, const std::string& path);
  Result<std::string> get(TextRef ref);

 private:
  struct Place {
    std::int64_t offset = 0;
    std::int64_t size = 0;
  };
  TextReader(std::vector<Place> places, DatasetReader bytes)
      : places_(std::move(places)), bytes_(std::move(bytes)) {}

  std::vector<Place> places_;
  DatasetReader bytes_;
  // Names of functions and instructions come again and again.
  std::unordered_map<TextRef, std::string> short_texts_;
};

}  // namespace ptxbatch
