#include "results/record_fingerprint.h"

#include <cstdlib>
#include <string>

#include "common/hash.h"
#include "results/record_codec.h"

namespace ptxbatch {

Fingerprint fingerprint(const Record& record) {
  constexpr int kDigits = 16;  // hexadecimal ones of 64 bits
  const std::string hash = sha256_hex(encode_record(record));
  return {std::strtoull(hash.substr(0, kDigits).c_str(), nullptr, 16),
          std::strtoull(hash.substr(kDigits, kDigits).c_str(), nullptr, 16)};
}

}  // namespace ptxbatch
