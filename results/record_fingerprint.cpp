#include "results/record_fingerprint.h"

#include "results/record_codec.h"

namespace ptxbatch {

Fingerprint fingerprint(const Record& record) {
  return half_of(sha256_hex(encode_record(record)));
}

}  // namespace ptxbatch
