#include "results/records.h"

#include "results/enum_names.h"

namespace ptxbatch {

std::string_view label_name(Label label) {
  return enum_name(label);
}

std::optional<Label> label_from_name(std::string_view name) {
  const auto& names = EnumNames<Label>::kNames;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Label>(i);
  }
  return std::nullopt;
}

std::string_view target_instruction_name(TargetInstruction state) {
  return enum_name(state);
}

std::string_view trajectory_end_name(TrajectoryEnd end) {
  return enum_name(end);
}

}  // namespace ptxbatch
