// A run's files, opened for a test that is not about opening them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "orchestrator/run_store.h"

namespace ptxbatch {

/// Null, and a failure of the test, when the run cannot be opened.
inline std::unique_ptr<RunStore> open_run(const std::string& results_path,
                                          const ExperimentRecord& experiment) {
  auto store = RunStore::open(real_file_system(), results_path, experiment);
  if (store) return std::move(*store);
  ADD_FAILURE() << describe(store.error());
  return nullptr;
}

}  // namespace ptxbatch
