// Nsight Compute's source page as it was printed on an H200 (driver 580, CUDA 13.0).
#include "ranks/profile/ncu_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file_system.h"

namespace ptxbatch {
namespace {

std::string page() {
  return read_text(std::string(REPORTS_FOLDER) + "/ncu_source_page.csv").value_or("");
}

TEST(NcuCounts, AddressesAreThoseInTheFunction) {
  const auto counts = parse_ncu_counts(page());
  ASSERT_TRUE(counts) << counts.error();
  EXPECT_TRUE(counts->launched);
  ASSERT_GE(counts->instructions.size(), 16U);
  EXPECT_EQ(counts->instructions[11].address, 0xB0U);
  EXPECT_EQ(counts->instructions[11].warps, 2);
  EXPECT_EQ(counts->instructions[11].threads, 64);
  EXPECT_EQ(counts->instructions[15].warps, 0);
}

TEST(NcuCounts, LaunchesAddUp) {
  const auto counts = parse_ncu_counts(page() + page());
  ASSERT_TRUE(counts) << counts.error();
  EXPECT_EQ(counts->instructions[11].warps, 4);
  EXPECT_EQ(counts->instructions[11].threads, 128);
}

TEST(NcuCounts, WithoutALaunchNothingWasLaunched) {
  const auto counts = parse_ncu_counts("==WARNING== No kernels were profiled.\n");
  ASSERT_TRUE(counts) << counts.error();
  EXPECT_FALSE(counts->launched);
}

TEST(NcuCounts, AnotherLayoutIsAnErrorThatNamesTheColumn) {
  std::string text = page();
  text.replace(text.find("inst_executed"), 13, "inst_something");
  const auto counts = parse_ncu_counts(text);
  ASSERT_FALSE(counts);
  EXPECT_THAT(counts.error(), ::testing::HasSubstr("inst_executed"));
}

}  // namespace
}  // namespace ptxbatch
