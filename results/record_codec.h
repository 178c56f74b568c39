// Records as CBOR: the form they have in the journal and in messages between processes.
#pragma once

#include <string>
#include <string_view>

#include "common/error.h"
#include "results/records.h"

namespace ptxbatch {

/// CBOR map {"type": ..., fields}.
std::string encode_record(const Record& record);

/// kProtocol with the missing or wrong field's name when `bytes` is not such a record. Unknown
/// fields are ignored, so that an older program reads a newer minor version.
Result<Record> decode_record(std::string_view bytes);

}  // namespace ptxbatch
