// One record of each type with every field set, and harder ones: bytes that are no UTF-8, NULs,
// numbers at their limits.
#pragma once

#include <vector>

#include "results/records.h"
#include "results/results_file.h"

namespace ptxbatch {

/// Begins with the experiment; every field of every type differs from its default.
std::vector<Record> example_records();

/// Texts of any bytes, infinities, NaN, extreme integers; a failed trajectory that goes on.
std::vector<Record> hard_records();

/// Records from a vector, as a source; the vector must outlive it.
RecordSource source_of(const std::vector<Record>& records);

/// Equality that takes NaN to be equal to NaN.
bool same(const Record& a, const Record& b);
bool same(const std::vector<Record>& a, const std::vector<Record>& b);

/// All records that `read` gives.
template <class Read>
std::vector<Record> collect(const Read& read) {
  std::vector<Record> records;
  read([&records](Record&& record) -> Status {
    records.push_back(std::move(record));
    return {};
  });
  return records;
}

}  // namespace ptxbatch
