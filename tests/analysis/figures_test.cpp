#include "analysis/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "analysis/figure_fast_p.h"
#include "analysis/panels.h"
#include "common/file_system.h"
#include "common/process.h"
#include "tests/analysis/hand_made.h"

namespace ptxbatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace ptxbatch::testing;  // NOLINT(google-build-using-namespace)

/// A folder of its own for each test, removed afterwards.
class Figures : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = ::testing::TempDir() + "figuresXXXXXX";
    ASSERT_NE(::mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string read(const std::string& name) const {
    return read_text(folder_ + "/" + name).value();
  }

  FigureOptions options() const {
    FigureOptions options;
    options.folder = folder_;
    return options;
  }

  std::string fake_gnuplot(const std::string& script) const {
    const std::string path = folder_ + "/fake_gnuplot";
    EXPECT_TRUE(write_text(path, "#!/bin/sh\n" + script + "\n").has_value());
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    return path;
  }

  bool has_gnuplot() const { return find_program("gnuplot").has_value(); }

  std::string folder_;
};

std::vector<Figure> fast_p(const std::vector<TurnTable>& tables) {
  return fast_p_figures(make_panels(tables, SpeedupKind::kPaper), "fast_p");
}

TurnTable small_run() {
  TurnTable table = empty_table(4);
  add_trajectory(table, {"m", "GEMM", "base"}, {with_target(0.5), without_target(1.0)});
  add_trajectory(table, {"m", "GEMM", "cluster"}, {with_target(0.25)});
  add_trajectory(table, {"m", "MHA-Fwd", "base"}, {failed(Label::kRuntimeError)});
  add_trajectory(table, {"n", "GEMM", "base"}, {with_target(1.31)});
  return table;
}

TEST_F(Figures, ThePicturesTheNumbersAndTheScriptAreWritten) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const auto paths = write_figures(fast_p({small_run()}), options());
  ASSERT_TRUE(paths.has_value()) << describe(paths.error());
  EXPECT_THAT(*paths, ElementsAre(folder_ + "/fast_p.svg", folder_ + "/fast_p.pdf",
                                  folder_ + "/fast_p.csv", folder_ + "/fast_p.gp"));
  EXPECT_THAT(read("fast_p.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(read("fast_p.pdf"), StartsWith("%PDF-"));
}

TEST_F(Figures, TheSvgNamesEveryModelProblemAndMark) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  ASSERT_TRUE(write_figures(fast_p({small_run()}), options()).has_value());
  const std::string svg = read("fast_p.svg");
  EXPECT_THAT(svg, HasSubstr("m, target host"));
  EXPECT_THAT(svg, HasSubstr("n, target host"));
  EXPECT_THAT(svg, HasSubstr("MHA-Fwd"));
  EXPECT_THAT(svg, HasSubstr("best 1.000×"));
  EXPECT_THAT(svg, HasSubstr("best 1.310× →"));
  EXPECT_THAT(svg, HasSubstr("no correct turn"));
  EXPECT_THAT(svg, HasSubstr("not in this experiment"));
}

TEST_F(Figures, TheCsvHoldsTheStepsWithTheirBands) {
  EXPECT_THAT(panels_csv(make_panels({small_run()}, SpeedupKind::kPaper)),
              StartsWith("target,model,problem,p,fast_p,fast_p_low,fast_p_high,"
                         "fast_p_inst,fast_p_inst_low,fast_p_inst_high\n"
                         "host,m,GEMM,0,0.375,0.25,0.5,0.25,0.25,0.25\n"
                         "host,m,GEMM,0.25,0.25,0,0.5,0.125,0,0.25\n"
                         "host,m,GEMM,0.5,0.125,0,0.25,0,0,0\n"
                         "host,m,GEMM,1,0,0,0,0,0,0\n"
                         "host,m,GEMM,1.2,0,0,0,0,0,0\n"
                         "host,m,MHA-Fwd,0,0,0,0,0,0,0\n"));
}

TEST_F(Figures, NamesAreNeverReadAsCommands) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  TurnTable table = empty_table(1);
  add_trajectory(table, {"`touch a`'; system('touch b'); '", "x\"\\y\n{system 'touch c'}"},
                 {with_target(0.5)});
  const auto paths = write_figures(fast_p({table}), options());
  ASSERT_TRUE(paths.has_value()) << describe(paths.error());
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/" + name)) << name;
  }
  EXPECT_THAT(read("fast_p.svg"), HasSubstr("touch a"));
}

TEST_F(Figures, NothingAtAllStillGivesALabelledPanel) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const auto paths = write_figures(fast_p({}), options());
  ASSERT_TRUE(paths.has_value()) << describe(paths.error());
  EXPECT_THAT(read("fast_p.svg"), HasSubstr("not in this experiment"));
}

TEST_F(Figures, TheFolderIsMadeWhenItIsMissing) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  FigureOptions nested = options();
  nested.folder += "/a/b";
  nested.formats = {FigureFormat::kSvg};
  ASSERT_TRUE(write_figures(fast_p({small_run()}), nested).has_value());
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/a/b/fast_p.svg"));
}

TEST_F(Figures, AMissingGnuplotIsNamedAndTheNumbersAreKept) {
  FigureOptions missing = options();
  missing.gnuplot = "no-such-gnuplot";
  const auto paths = write_figures(fast_p({small_run()}), missing);
  ASSERT_FALSE(paths.has_value());
  EXPECT_EQ(paths.error().kind, ErrorKind::kSystem);
  EXPECT_THAT(paths.error().what, HasSubstr("no-such-gnuplot"));
  EXPECT_THAT(paths.error().hint, HasSubstr("Install gnuplot"));
  EXPECT_THAT(read("fast_p.csv"), HasSubstr("host,m,GEMM"));
}

TEST_F(Figures, AFailingGnuplotIsQuoted) {
  FigureOptions failing = options();
  failing.gnuplot = fake_gnuplot("echo 'line 3: unknown terminal type' >&2; exit 3");
  const auto paths = write_figures(fast_p({small_run()}), failing);
  ASSERT_FALSE(paths.has_value());
  EXPECT_EQ(paths.error().kind, ErrorKind::kSystem);
  EXPECT_THAT(paths.error().what, HasSubstr("exit code 3"));
  EXPECT_THAT(paths.error().what, HasSubstr("unknown terminal type"));
}

TEST_F(Figures, AnEndlessGnuplotIsStopped) {
  FigureOptions endless = options();
  endless.gnuplot = fake_gnuplot("while :; do :; done");
  endless.timeout_s = 0.2;
  const auto paths = write_figures(fast_p({small_run()}), endless);
  ASSERT_FALSE(paths.has_value());
  EXPECT_THAT(paths.error().what, HasSubstr("did not end within 0.2 s"));
}

TEST_F(Figures, AFolderThatCannotBeMadeIsNamed) {
  ASSERT_TRUE(write_text(folder_ + "/file", "").has_value());
  FigureOptions blocked = options();
  blocked.folder += "/file/below";
  const auto paths = write_figures(fast_p({small_run()}), blocked);
  ASSERT_FALSE(paths.has_value());
  EXPECT_THAT(paths.error().what, HasSubstr("/file/below"));
}

TEST_F(Figures, PairedSpeedupsAreCalledSo) {
  const PanelGrid grid = make_panels({small_run()}, SpeedupKind::kPaired);
  Selection models;
  models.models = {"m"};
  models.targets = {"host"};
  const Figure figure = fast_p_figures(with_rows_and_columns(grid, models), "fast_p").front();
  EXPECT_THAT(figure.script, HasSubstr("best paired speedup"));
  EXPECT_THAT(figure.script, HasSubstr("'paired speedup threshold p'"));
  EXPECT_THAT(figure.csv, StartsWith("target,model,problem,p,paired_fast_p,paired_fast_p_low,"));
  EXPECT_THAT(fast_p({small_run()}).front().script, Not(HasSubstr("paired")));
}

TEST_F(Figures, ACorrectTurnWithoutASpeedupIsNoneThatIsMissing) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {}, {with_target(0.5)});
  table.speedup = {0};
  const std::string script = fast_p({table}).front().script;
  EXPECT_THAT(script, HasSubstr("'no speedup was measured'"));
  EXPECT_THAT(script, Not(HasSubstr("no correct turn")));
}

TEST_F(Figures, WithOnePromptTagThereIsNoBandAndNoneInTheLegend) {
  TurnTable table = empty_table(1);
  add_trajectory(table, {}, {with_target(0.5)});
  const std::string script = fast_p({table}).front().script;
  EXPECT_THAT(script, Not(HasSubstr("filledcurves")));
  EXPECT_THAT(script, Not(HasSubstr("range over prompt tags")));
}

}  // namespace
}  // namespace ptxbatch
