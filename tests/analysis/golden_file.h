// Output against the files in golden/. To renew them after a wanted change, run with
// PTXBATCH_UPDATE_GOLDEN=1 and read the difference.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "common/file_system.h"

namespace ptxbatch::testing {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GOLDEN_FOLDER) + "/" + name;
  if (std::getenv("PTXBATCH_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_text(path, text).has_value());
  }
  const auto golden = read_text(path);
  ASSERT_TRUE(golden.has_value()) << describe(golden.error());
  EXPECT_EQ(text, *golden);
}

}  // namespace ptxbatch::testing
