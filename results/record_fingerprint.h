// A record's identity in 16 bytes: to tell whether two files hold the same one.
#pragma once

#include <unordered_set>

#include "common/hash.h"
#include "results/records.h"

namespace ptxbatch {

/// Of the record's CBOR.
using Fingerprint = HalfHash;
using Fingerprints = std::unordered_set<Fingerprint, HalfHashBucket>;

Fingerprint fingerprint(const Record& record);

}  // namespace ptxbatch
