// The enumerations of records.h with the names of their values, in the order of their numbers.
// Numbers and names are stored in results files (as HDF5 enumerations): add at the end, never
// renumber.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "results/records.h"

namespace ptxbatch {

template <class Enum>
struct EnumNames;

template <>
struct EnumNames<Label> {
  static constexpr std::array<std::string_view, kLabelCount> kNames = {"Correct",
                                                                       "Numerical error",
                                                                       "Compilation error",
                                                                       "Runtime error",
                                                                       "Kernel Execution Timeout",
                                                                       "Sanitize Timeout",
                                                                       "Profiling Service Timeout",
                                                                       "Extraction error",
                                                                       "Other error"};
};

template <>
struct EnumNames<TargetInstruction> {
  static constexpr std::array<std::string_view, kTargetInstructionCount> kNames = {
      "not examined", "absent", "not executed", "present", "unknown"};
};

template <>
struct EnumNames<TrajectoryEnd> {
  static constexpr std::array<std::string_view, 5> kNames = {
      "turns done", "target reached", "context exhausted", "replies exhausted", "failed"};
};

template <>
struct EnumNames<ReplyEnd> {
  static constexpr std::array<std::string_view, 4> kNames = {"complete", "truncated",
                                                             "context exhausted", "refused"};
};

template <>
struct EnumNames<TimingRecord::Side> {
  static constexpr std::array<std::string_view, 2> kNames = {"reference", "candidate"};
};

template <>
struct EnumNames<DeviceReading::Moment> {
  static constexpr std::array<std::string_view, 2> kNames = {"before timing", "after timing"};
};

template <class Enum>
constexpr bool is_valid_enum(std::int64_t number) {
  return number >= 0 && number < static_cast<std::int64_t>(EnumNames<Enum>::kNames.size());
}

/// The name, or "?" for a number that is none of the enumeration's.
template <class Enum>
constexpr std::string_view enum_name(Enum value) {
  const auto number = static_cast<std::int64_t>(value);
  return is_valid_enum<Enum>(number) ? EnumNames<Enum>::kNames[static_cast<std::size_t>(number)]
                                     : std::string_view("?");
}

}  // namespace ptxbatch
