#include "results/records.h"

#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

TEST(LabelName, IsThePapersSpelling) {
  EXPECT_EQ(label_name(Label::kCorrect), "Correct");
  EXPECT_EQ(label_name(Label::kNumericalError), "Numerical error");
  EXPECT_EQ(label_name(Label::kCompilationError), "Compilation error");
  EXPECT_EQ(label_name(Label::kRuntimeError), "Runtime error");
  EXPECT_EQ(label_name(Label::kKernelExecutionTimeout), "Kernel Execution Timeout");
  EXPECT_EQ(label_name(Label::kSanitizeTimeout), "Sanitize Timeout");
  EXPECT_EQ(label_name(Label::kProfilingServiceTimeout), "Profiling Service Timeout");
  EXPECT_EQ(label_name(Label::kExtractionError), "Extraction error");
  EXPECT_EQ(label_name(Label::kOtherError), "Other error");
}

TEST(LabelName, ReadsBackForEveryLabel) {
  for (int number = 0; number < kLabelCount; ++number) {
    const auto label = static_cast<Label>(number);
    EXPECT_EQ(label_from_name(label_name(label)), label);
  }
  EXPECT_EQ(label_from_name("correct"), std::nullopt);
  EXPECT_EQ(label_from_name(""), std::nullopt);
}

TEST(EnumName, OfANumberThatIsNoValueIsAQuestionMark) {
  EXPECT_EQ(label_name(static_cast<Label>(9)), "?");
  EXPECT_EQ(target_instruction_name(static_cast<TargetInstruction>(-1)), "?");
  EXPECT_EQ(trajectory_end_name(static_cast<TrajectoryEnd>(5)), "?");
}

TEST(EnumName, OfTargetInstructionIsTheProtocolsWord) {
  EXPECT_EQ(target_instruction_name(TargetInstruction::kAbsent), "absent");
  EXPECT_EQ(target_instruction_name(TargetInstruction::kNotExecuted), "not executed");
  EXPECT_EQ(target_instruction_name(TargetInstruction::kPresent), "present");
  EXPECT_EQ(target_instruction_name(TargetInstruction::kUnknown), "unknown");
}

}  // namespace
}  // namespace ptxbatch
