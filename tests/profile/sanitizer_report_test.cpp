// Reports as compute-sanitizer 2025.3 wrote them on an H200, one of each kind.
#include "ranks/profile/sanitizer_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file_system.h"

namespace ptxbatch {
namespace {

std::string text_of(const std::string& report) {
  const auto xml = read_text(std::string(REPORTS_FOLDER) + "/" + report + ".xml");
  EXPECT_TRUE(xml);
  const auto text = sanitizer_report_text(xml.value_or(""));
  EXPECT_TRUE(text) << text.error().what;
  return text.value_or("");
}

TEST(SanitizerReport, AnInvalidAccessHasItsLineAndItsCaller) {
  EXPECT_EQ(text_of("memcheck_misaligned"),
            "Invalid __global__ write of size 4 bytes is misaligned\n"
            "  at kernel.cu:4, in inner\n"
            "  called at kernel.cu:5, in misaligned\n"
            "  thread (0, 0, 0) of block (0, 0, 0), address 0x7f463e800001\n");
}

TEST(SanitizerReport, AnErrorOfTheToolItselfIsNoFaultOfTheCandidate) {
  const std::string what =
      "Internal Sanitizer Error: The Sanitizer failed to handle a hardware "
      "exception.";
  const auto text = sanitizer_report_text("<ComputeSanitizerOutput><record><what><text>" + what +
                                          "</text></what></record></ComputeSanitizerOutput>");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().what, "it holds no fault of the candidate");
}

TEST(SanitizerReport, ARaceHasBothItsAccesses) {
  EXPECT_EQ(text_of("racecheck_race"),
            "Race condition:\n"
            "  Write at kernel.cu:7, in race\n"
            "  Read at kernel.cu:7, in race\n");
}

TEST(SanitizerReport, TheSameOfSeveralThreadsIsSaidOnce) {
  EXPECT_EQ(text_of("synccheck_barrier"),
            "Barrier error: Divergent thread(s) in warp\n"
            "  at kernel.cu:8, in diverge\n"
            "  thread (32, 0, 0) of block (0, 0, 0)\n"
            "  the same 2 times in all\n");
  EXPECT_THAT(text_of("initcheck_uninitialised"),
              ::testing::HasSubstr("Uninitialized __global__ memory read of size 4 bytes\n"));
}

TEST(SanitizerReport, WhatIsNoReportOrEmptyIsAnError) {
  EXPECT_FALSE(sanitizer_report_text("memcheck was here"));
  EXPECT_FALSE(sanitizer_report_text(""));
  const auto empty = read_text(std::string(REPORTS_FOLDER) + "/memcheck_nothing.xml");
  ASSERT_TRUE(empty);
  EXPECT_FALSE(sanitizer_report_text(*empty));
}

}  // namespace
}  // namespace ptxbatch
