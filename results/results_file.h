// NAME.h5: what users see. Plain HDF5 as SCHEMA.md describes it. It is derived: always built whole
// from a stream of records into a temporary file, then renamed into place.
#pragma once

#include <functional>
#include <string>

#include "common/error.h"
#include "common/file_system.h"
#include "results/records.h"

namespace ptxbatch {

/// A source of records: calls its argument once per record and stops at the first error.
using RecordSource = std::function<Status(const std::function<Status(Record&&)>&)>;

/// Builds `path` from the records of `source` (which begins with an ExperimentRecord) in memory
/// that does not grow with the number of turns. `complete` says whether every trajectory has
/// ended; it is stored. On any error `path` keeps its old contents.
Status write_results_file(FileSystem& files, const std::string& path, const RecordSource& source,
                          bool complete);

/// Gives back every record of a results file, equal to those it was built from, in an order in
/// which they may be journalled again.
Status read_results_file(const std::string& path, const std::function<Status(Record&&)>& visit);

struct ResultsSummary {
  std::string experiment_name;
  std::string experiment_text;
  bool complete = false;
  std::int64_t turns = 0;
};
/// Reads only attributes and the experiment's text.
Result<ResultsSummary> read_results_summary(const std::string& path);

}  // namespace ptxbatch
