// A record's identity in 16 bytes: to tell whether two files hold the same one.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "results/records.h"

namespace ptxbatch {

/// Half of the SHA-256 of the record's CBOR: enough to tell records apart.
struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Fingerprint&) const = default;
};

struct FingerprintHash {
  std::size_t operator()(const Fingerprint& print) const { return print.high; }
};
using Fingerprints = std::unordered_set<Fingerprint, FingerprintHash>;

Fingerprint fingerprint(const Record& record);

}  // namespace ptxbatch
