// The report as a page: complete in itself, inert whatever the models wrote, and without an error
// in a browser's console.
#include "analysis/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "analysis/report/compressed.h"
#include "analysis/report/html.h"
#include "common/process.h"
#include "tests/analysis/run_on_disk.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

ReportInput input_of(const std::vector<std::string>& paths, const RunReadOptions& options = {}) {
  ReportInput input;
  for (const std::string& path : paths) {
    input.tables.push_back(read_turn_table(path).value());
    input.runs.push_back(read_run(path, options).value());
  }
  return input;
}

std::string report_of(const SmallRun& run) {
  const TestFolder folder;
  run.write(folder.file("run.h5"));
  return make_report(input_of({folder.file("run.h5")}));
}

TEST(Report, HasItsSections) {
  const std::string page = report_of({});
  for (const char* id : {"summary", "tables", "curves", "outcomes", "places", "health", "cost",
                         "turns", "experiment"}) {
    EXPECT_THAT(page, HasSubstr("<section id=\"" + std::string(id) + "\">"));
  }
  EXPECT_THAT(page, HasSubstr("compile_error"));
  EXPECT_THAT(page, HasSubstr("OpenBLAS 0.3.21"));
  EXPECT_THAT(page, HasSubstr("best 0.500×"));
}

TEST(Report, AsksNothingOfANetwork) {
  const std::string page = report_of({});
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  // The only addresses are XML names.
  EXPECT_FALSE(std::regex_search(page, std::regex(R"((src|href)="(?!#|data:))")));
  EXPECT_FALSE(std::regex_search(page, std::regex(R"(url\(|@import|<iframe|<object|<embed)")));
}

TEST(Report, NamesAreNeverMarkup) {
  SmallRun run;
  run.experiment.name = "<script>alert(1)</script>";
  run.experiment.trajectories[0].model = "<img src=x onerror=alert(1)>";
  run.turns[0].cause = "\"><b>";
  run.replies[0].text = "</script><script>alert(2)</script>";
  const std::string page = report_of(run);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("\"><b>")));
}

TEST(Report, SumsUpTheDevicesReadings) {
  const std::string page = report_of({});
  EXPECT_THAT(page, HasSubstr("n0, a processor"));
  EXPECT_THAT(page, HasSubstr("41 to 52"));
  EXPECT_THAT(page, HasSubstr("1755 to 1980"));
}

TEST(Report, OfARunWithoutTurnsSaysSo) {
  SmallRun run;
  run.turns.clear();
  run.replies.clear();
  const std::string page = report_of(run);
  EXPECT_THAT(page, HasSubstr("no correct turn"));
  EXPECT_THAT(page, HasSubstr("No turn failed."));
  EXPECT_THAT(page, HasSubstr("No replies were recorded."));
}

TEST(Report, ACorrectTurnWithoutASpeedupIsNoneThatIsMissing) {
  SmallRun run;
  run.turns[1].speedup = 0;
  const std::string page = report_of(run);
  EXPECT_THAT(page, HasSubstr("no speedup was measured"));
  EXPECT_THAT(page, Not(HasSubstr("no correct turn")));
}

TEST(Report, SaysWhatWasLeftOut) {
  const TestFolder folder;
  write_synthetic(folder.file("run.h5"), 96);
  RunReadOptions options;
  options.detail_bytes = 50'000;
  const std::string whole = make_report(input_of({folder.file("run.h5")}));
  const std::string less = make_report(input_of({folder.file("run.h5")}, options));
  EXPECT_LT(less.size(), whole.size());
  EXPECT_THAT(less, ContainsRegex("The details of [0-9]+ of 12 trajectories were left out"));
  EXPECT_THAT(whole, Not(HasSubstr("were left out of this page to keep")));
}

TEST(Report, SeveralFilesAreOnePage) {
  const TestFolder folder;
  SmallRun().write(folder.file("one.h5"));
  SmallRun other;
  other.experiment.name = "other";
  other.write(folder.file("two.h5"));
  const std::string page = make_report(input_of({folder.file("one.h5"), folder.file("two.h5")}));
  EXPECT_THAT(page, HasSubstr("small and 1 more"));
  EXPECT_THAT(page, HasSubstr("two.h5"));
}

// A run on a GPU: its one correct turn is twice as fast as the host's.
SmallRun gpu_run(const std::string& device) {
  SmallRun run;
  run.experiment.trajectories[0].target = "hopper";
  run.environment.target = "hopper";
  run.environment.device_name = device;
  run.turns[1].speedup = 1;
  return run;
}

std::string report_of_all(const std::vector<SmallRun>& runs) {
  const TestFolder folder;
  std::vector<std::string> paths;
  for (const SmallRun& run : runs) {
    paths.push_back(folder.file("run" + std::to_string(paths.size()) + ".h5"));
    run.write(paths.back());
  }
  return make_report(input_of(paths));
}

TEST(Report, NoNumberOfItsSummaryMixesTargetsOrDevices) {
  const std::string page =
      report_of_all({SmallRun(), gpu_run("NVIDIA H100 80GB HBM3"), gpu_run("NVIDIA H200")});
  for (const char* heading : {"<h3>Target host, a processor</h3>", "<h3>Target hopper, H100</h3>",
                              "<h3>Target hopper, H200</h3>"}) {
    EXPECT_THAT(page, HasSubstr(heading));
  }
  const auto value = [](const std::string& text) {
    return "<div class=\"tile-value\">" + text + "</div>";
  };
  EXPECT_THAT(page, HasSubstr(value("0.500×")));
  EXPECT_THAT(page, HasSubstr(value("1.000×")));
  EXPECT_THAT(page, Not(HasSubstr(value("3"))));  // correct turns of all three
}

TEST(Report, ItsTablesHaveTheNotesThatTablesPrints) {
  const TestFolder folder;
  gpu_run("NVIDIA H100 80GB HBM3").write(folder.file("one.h5"));
  gpu_run("NVIDIA H200").write(folder.file("two.h5"));
  ReportInput input = input_of({folder.file("one.h5"), folder.file("two.h5")});
  input.tables[1].complete = false;
  const std::string page = make_report(input);
  EXPECT_THAT(page, HasSubstr("<li>Target hopper ran on different devices, whose speedups are not "
                              "comparable: H100; H200.</li>"));
  EXPECT_THAT(page, HasSubstr("<li>Taken together from several files: hopper, m/1, GEMM.</li>"));
  EXPECT_THAT(page, HasSubstr("<li>Incomplete: small has 2 of at most 3 turns so far"));
}

TEST(Report, ItsTablesAreThereWithIntervalsToo) {
  SmallRun run;
  for (std::int32_t index = 1; index < 4; ++index) {  // fewer would have no interval
    run.experiment.trajectories.push_back(run.experiment.trajectories[0]);
    run.experiment.trajectories.back().index = index;
    run.experiment.trajectories.back().id += std::to_string(index);
  }
  const std::string page = report_of(run);
  EXPECT_THAT(page, HasSubstr("With 95 % intervals"));
  EXPECT_THAT(page, HasSubstr("Trajectories with a correct turn: Wilson intervals."));
  EXPECT_THAT(page, ContainsRegex("25\\.0 \\[[0-9.]+, [0-9.]+\\]"));
}

TEST(HtmlSheet, GoesOnBelowWithTheRowsThatHaveAnythingThere) {
  Sheet sheet;
  sheet.title = "<T>";
  sheet.header = {"Model", "1", "2", "3", "4", "5", "6"};
  sheet.rows = {{"a", "x\n(y)", "", "", "", "", ""}, {"b", "", "", "", "", "", "z"}};
  const std::string html = html_sheet(sheet);
  EXPECT_THAT(html, HasSubstr("<h3>&lt;T&gt;</h3>"));
  EXPECT_THAT(html, HasSubstr("x<br><span class=\"muted\">(y)</span>"));
  const std::size_t second = html.find("<table>", html.find("<table>") + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_THAT(html.substr(0, second), Not(HasSubstr(">b<")));
  EXPECT_THAT(html.substr(second), Not(HasSubstr(">a<")));
  EXPECT_THAT(html.substr(second), HasSubstr(">z<"));
}

TEST(Html, EscapesWhatCouldBeMarkup) {
  EXPECT_EQ(html_text("<a href='x'>&\"\x01"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\uFFFD");
  EXPECT_EQ(grouped_digits(-1234567), "-1\u202F234\u202F567");
  EXPECT_EQ(grouped_digits(999), "999");
}

TEST(CompressedBase64, IsPaddedToFours) {
  for (std::size_t size = 0; size < 6; ++size) {
    EXPECT_EQ(compressed_base64(std::string(size, 'x')).size() % 4, 0U) << size;
  }
}

/// Headless Chromium: what it prints, with the console's messages and the page as it became.
std::string browse(const std::string& chromium, const std::string& address,
                   const std::string& profile) {
  ProcessSpec spec;
  spec.argv = {chromium,
               "--headless=new",
               "--no-sandbox",
               "--disable-gpu",
               "--disable-dev-shm-usage",
               "--no-first-run",
               "--user-data-dir=" + profile,
               "--enable-logging=stderr",
               "--virtual-time-budget=10000",
               "--dump-dom",
               address};
  spec.environment = tool_environment();
  spec.environment.push_back("HOME=" + profile);
  spec.output_cap_bytes = 64U << 20U;
  const auto run = run_process(spec, 100);
  EXPECT_TRUE(run.has_value() && run->end.ok());
  return run ? run->output : "";
}

TEST(Report, OpensInABrowserWithoutAnError) {
  const auto chromium = find_program("chromium");
  if (!chromium) GTEST_SKIP() << "chromium is not installed (Debian package chromium)";
  const TestFolder folder;
  SmallRun run;
  run.replies[1].text = "</script><script>document.title = 'broken'</script>";
  run.write(folder.file("run.h5"));
  const std::string page = folder.file("report.html");
  ASSERT_TRUE(write_text(page, make_report(input_of({folder.file("run.h5")}))).has_value());
  const std::string seen =
      browse(*chromium, "file://" + page + "#turn-0-0-1", folder.file("profile"));
  EXPECT_THAT(seen, Not(ContainsRegex("CONSOLE|Refused to|Uncaught")));
  // The script unpacked the data: the list, and the chosen turn's story.
  EXPECT_THAT(seen, HasSubstr("1 to 1 of 1 trajectories"));
  EXPECT_THAT(seen, HasSubstr("Trajectory 0 (exp_000), turn 1: m/1, host, GEMM"));
  EXPECT_THAT(seen, HasSubstr("void run() {}"));
  EXPECT_THAT(seen, HasSubstr("dot-candidate"));
  EXPECT_THAT(seen, HasSubstr("vfmadd231ps"));
  EXPECT_THAT(seen, HasSubstr("throttle reasons"));
}

TEST(Report, EveryPartOfAPageOfPairedSpeedupsShowsThem) {
  const auto chromium = find_program("chromium");
  if (!chromium) GTEST_SKIP() << "chromium is not installed (Debian package chromium)";
  const TestFolder folder;
  SmallRun run;
  run.turns[1].paired_speedup = 0.75;  // beside the paper's 0.5
  run.write(folder.file("run.h5"));
  ReportInput input = input_of({folder.file("run.h5")});
  input.speedup = SpeedupKind::kPaired;
  const std::string page = folder.file("report.html");
  ASSERT_TRUE(write_text(page, make_report(input)).has_value());
  const std::string seen = browse(*chromium, "file://" + page, folder.file("profile"));
  EXPECT_THAT(seen, HasSubstr("best paired speedup 0.750"));
  EXPECT_THAT(seen, HasSubstr("best 0.750× (paired)"));
  EXPECT_THAT(seen, HasSubstr("turn 1: Correct, 0.750× (paired)"));
  EXPECT_THAT(seen, Not(HasSubstr("0.500×")));
}

}  // namespace
}  // namespace ptxbatch
