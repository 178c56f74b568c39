// A turn's stages with a compiler and a judge that record what they were asked: which stages run,
// and what a candidate that comes again costs. (The real ones: tests/compile, tests/profile,
// tests/quickstart.)
#include "ranks/turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/prompt/repair_notes.h"

namespace ptxbatch {
namespace {

class CountingCompiler final : public Compiler {
 public:
  Result<Compilation> compile(const std::string& /*source*/, const std::string& /*sha256*/,
                              double /*timeout_s*/) override {
    ++calls;
    Compilation result;
    result.outcome = outcome;
    result.binary = "/nonexistent.so";
    return result;
  }
  [[nodiscard]] const std::string& version() const override { return version_; }

  Compilation::Outcome outcome = Compilation::Outcome::kCompiled;
  int calls = 0;

 private:
  std::string version_ = "counting";
};

class CountingJudge final : public Judge {
 public:
  Result<DeviceInfo> device_info() override { return DeviceInfo{}; }
  Evaluation evaluate(const Problem& /*problem*/, const std::string& /*binary*/) override {
    ++evaluations;
    Evaluation result;
    result.outcome = outcome;
    result.speedup = 0.5;
    return result;
  }
  Sanitization sanitize(const Problem& /*problem*/, const std::string& /*binary*/) override {
    ++sanitizations;
    Sanitization result;
    result.outcome = sanitized;
    return result;
  }
  Evidence collect_evidence(const Problem& /*problem*/, const std::string& /*binary*/,
                            const StaticScan& /*scan*/) override {
    ++evidence_runs;
    Evidence result;
    result.state = TargetInstruction::kPresent;
    return result;
  }

  DeviceSigns take_signs() override { return {}; }
  void restart() override {}
  void probe(const Problem& /*problem*/) override {}

  Evaluation::Outcome outcome = Evaluation::Outcome::kCorrect;
  Sanitization::Outcome sanitized = Sanitization::Outcome::kClean;
  int evaluations = 0;
  int sanitizations = 0;
  int evidence_runs = 0;
};

class TurnTest : public testing::Test {
 protected:
  TurnTest() : trajectory_({}, {nullptr, &target_, &problem_, nullptr}, {}) {}

  TurnInHand turn_with(const std::string& reply) {
    TurnInHand turn;
    turn.trajectory = &trajectory_;
    turn.reply.text = reply;
    prepare_candidate(turn, compiler_, {});
    return turn;
  }

  // As the device's thread does it.
  void judge(TurnInHand& turn) {
    if (reuse_measurement(turn, cache_)) return;
    judge_candidate(turn, judge_);
    cache_.store(turn);
  }

  const std::string kernel_ =
      "```cpp\nvoid f(tvm::ffi::TensorView a) {}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);\n```\n";
  TargetSpec target_{"host", "", "", 0};
  ProblemSpec problem_;
  Trajectory trajectory_;
  CountingCompiler compiler_;
  CountingJudge judge_;
  MeasurementCache cache_;
};

TEST_F(TurnTest, WithoutCodeNothingIsCompiled) {
  const TurnInHand turn = turn_with("I cannot do that.");
  EXPECT_EQ(compiler_.calls, 0);
  EXPECT_FALSE(needs_judging(turn));
  EXPECT_EQ(label_of(turn.facts).label, Label::kExtractionError);
}

TEST_F(TurnTest, ABannedCandidateIsNotCompiled) {
  const TurnInHand turn =
      turn_with("```cpp\n#include <cblas.h>\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);\n```\n");
  EXPECT_EQ(compiler_.calls, 0);
  EXPECT_EQ(label_of(turn.facts).label, Label::kOtherError);
}

TEST_F(TurnTest, ACandidateThatDoesNotCompileIsNotJudged) {
  compiler_.outcome = Compilation::Outcome::kFailed;
  const TurnInHand turn = turn_with(kernel_);
  EXPECT_FALSE(needs_judging(turn));
  EXPECT_EQ(label_of(turn.facts).label, Label::kCompilationError);
}

TEST_F(TurnTest, EvidenceIsCollectedForCorrectCandidatesOnly) {
  TurnInHand correct = turn_with(kernel_);
  judge(correct);
  EXPECT_EQ(judge_.evidence_runs, 1);
  judge_.outcome = Evaluation::Outcome::kWrong;
  TurnInHand wrong = turn_with("```cpp\nint other;\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);\n```\n");
  judge(wrong);
  EXPECT_EQ(judge_.evidence_runs, 1);
}

TEST_F(TurnTest, ARightCandidateWithAFaultyMemoryIsARuntimeErrorWithoutEvidence) {
  judge_.sanitized = Sanitization::Outcome::kFault;
  TurnInHand turn = turn_with(kernel_);
  judge(turn);
  EXPECT_EQ(label_of(turn.facts).label, Label::kRuntimeError);
  EXPECT_EQ(judge_.evidence_runs, 0);
}

TEST_F(TurnTest, ACandidateThatHangsIsNotSanitized) {
  judge_.outcome = Evaluation::Outcome::kTimedOut;
  TurnInHand turn = turn_with(kernel_);
  judge(turn);
  EXPECT_EQ(judge_.sanitizations, 0);
  EXPECT_EQ(label_of(turn.facts).label, Label::kKernelExecutionTimeout);
}

TEST_F(TurnTest, AFailureOfTheSanitizerIsNotRemembered) {
  judge_.sanitized = Sanitization::Outcome::kToolFailed;
  TurnInHand first = turn_with(kernel_);
  judge(first);
  TurnInHand second = turn_with(kernel_);
  judge(second);
  EXPECT_EQ(judge_.sanitizations, 2);
}

TEST_F(TurnTest, AnIdenticalCandidateIsNotMeasuredTwice) {
  TurnInHand first = turn_with(kernel_);
  judge(first);
  TurnInHand second = turn_with("Once more:\n" + kernel_);
  judge(second);
  EXPECT_EQ(judge_.evaluations, 1);
  EXPECT_FALSE(first.measurement_reused);
  EXPECT_TRUE(second.measurement_reused);
  EXPECT_EQ(second.facts.evaluation->speedup, 0.5);
}

TEST_F(TurnTest, AFailureOfOursIsNotRemembered) {
  judge_.outcome = Evaluation::Outcome::kServiceFailure;
  TurnInHand first = turn_with(kernel_);
  judge(first);
  TurnInHand second = turn_with(kernel_);
  judge(second);
  EXPECT_EQ(judge_.evaluations, 2);
}

/// Candidates of a model that is given notes.
class TurnWithNotes : public TurnTest {
 protected:
  TurnWithNotes() {
    problem_.problem.definition = "small";
    const RepairRecord record{
        "host", "small", "void f(tvm::ffi::TensorView a) {}", "", {"Do this."}, "fixed", 0, ""};
    auto notes = RepairNotes::parse(repair_record_line(record), "notes.jsonl");
    EXPECT_TRUE(notes) << describe(notes.error());
    model_.variant.repair_notes.corpus = std::make_shared<const RepairNotes>(std::move(*notes));
  }

  std::string feedback_to(const std::string& reply) {
    Trajectory trajectory({}, {&model_, &target_, &problem_, nullptr}, {});
    TurnInHand turn = turn_with(reply);
    turn.trajectory = &trajectory;
    if (needs_judging(turn)) judge(turn);
    return finish_turn(turn, {}, 0, 1).feedback;
  }

  ModelSpec model_;
};

TEST_F(TurnWithNotes, TheyStandBehindTheFeedbackToAFailure) {
  judge_.outcome = Evaluation::Outcome::kWrong;
  EXPECT_THAT(feedback_to(kernel_), testing::ContainsRegex("result is wrong(.|\n)*- Do this."));
}

TEST_F(TurnWithNotes, ACorrectCandidateGetsNone) {
  const std::string feedback = feedback_to(kernel_);
  EXPECT_THAT(feedback, testing::HasSubstr("Correct."));
  EXPECT_THAT(feedback, testing::Not(testing::HasSubstr("Do this.")));
}

TEST_F(TurnWithNotes, NeitherDoesAReplyWithoutCodeNorAFailureOfOurs) {
  EXPECT_THAT(feedback_to("void f"), testing::Not(testing::HasSubstr("Do this.")));
  judge_.outcome = Evaluation::Outcome::kServiceFailure;
  EXPECT_THAT(feedback_to(kernel_), testing::Not(testing::HasSubstr("Do this.")));
}

}  // namespace
}  // namespace ptxbatch
