#include "results/turn_table.h"

#include <algorithm>

#include "results/results_input.h"
#include "results/schema.h"

namespace ptxbatch {
namespace {

/// Only what the turn table holds of a row of /turns, so that nothing else is converted.
struct CoreRow {
  std::int32_t trajectory = 0;
  std::int32_t turn = 0;
  Label label = Label::kOtherError;
  TargetInstruction target_instruction = TargetInstruction::kNotExamined;
  double speedup = 0;
  double paired_speedup = 0;
  double flop_coverage = 0;
  std::int64_t reasoning_tokens = 0;
};

template <class Visitor>
void visit_columns(Visitor& visitor, CoreRow& row) {
  visitor("trajectory", row.trajectory);
  visitor("turn", row.turn);
  visitor("label", row.label);
  visitor("target_instruction", row.target_instruction);
  visitor("speedup", row.speedup);
  visitor("paired_speedup", row.paired_speedup);
  visitor("flop_coverage", row.flop_coverage);
  visitor("reasoning_tokens", row.reasoning_tokens);
}

/// What it holds of a row of /environment.
struct DeviceRow {
  std::string target;
  std::string device_name;
};

template <class Visitor>
void visit_columns(Visitor& visitor, DeviceRow& row) {
  visitor("target", row.target);
  visitor("device_name", row.device_name);
}

Status read_settings(const ResultsInput& file, TurnTable& table) {
  const auto turns = file.attribute<std::int32_t>("turns");
  if (!turns) return fail(turns.error());
  const auto target_speedup = file.attribute<double>("target_speedup");
  if (!target_speedup) return fail(target_speedup.error());
  auto name = file.attribute<std::string>("experiment");
  if (!name) return fail(name.error());
  const auto complete = file.attribute<bool>("complete");
  if (!complete) return fail(complete.error());
  table.max_turns = *turns;
  table.target_speedup = *target_speedup;
  table.experiment_name = std::move(*name);
  table.complete = *complete;
  auto text = read_text_dataset(file.id(), file.path(), schema::kExperimentText);
  if (!text) return fail(text.error());
  table.experiment_text = std::move(*text);
  return {};
}

// A core's name is its processor's and a number: "... core 3". Which core is no kind of device.
std::string kind_of_device(const std::string& name) {
  constexpr std::string_view kCore = " core ";
  const std::size_t at = name.rfind(kCore);
  const bool ends_so = at != std::string::npos && at + kCore.size() < name.size() &&
                       name.find_first_not_of("0123456789", at + kCore.size()) == std::string::npos;
  return ends_so ? name.substr(0, at) : name;
}

Status read_devices(const ResultsInput& file, TurnTable& table) {
  auto rows = TableReader<DeviceRow>::open(file.id(), file.path(), schema::kEnvironment);
  if (!rows) return fail(rows.error());
  DeviceRow row;
  while (true) {
    const auto more = rows->next(row);
    if (!more) return fail(more.error());
    if (!*more) return {};
    TargetDevice device{row.target, kind_of_device(row.device_name)};
    const auto known = std::find(table.devices.begin(), table.devices.end(), device);
    if (known == table.devices.end()) table.devices.push_back(std::move(device));
  }
}

Status read_trajectories(const ResultsInput& file, TurnTable& table) {
  auto rows = TableReader<PlannedTrajectory>::open(file.id(), file.path(), schema::kTrajectories);
  if (!rows) return fail(rows.error());
  const auto count = static_cast<std::size_t>(rows->size());
  table.trajectories.resize(count);
  std::vector<bool> seen(count, false);
  PlannedTrajectory row;
  while (true) {
    const auto more = rows->next(row);
    if (!more) return fail(more.error());
    if (!*more) return {};
    const auto index = static_cast<std::size_t>(row.index);
    if (row.index < 0 || index >= count || seen[index]) {
      return fail(rows->error("its indices are not 0 to " + std::to_string(count)));
    }
    seen[index] = true;
    table.trajectories[index] = row;
  }
}

void reserve(TurnTable& table, std::size_t count) {
  table.trajectory.reserve(count);
  table.turn.reserve(count);
  table.label.reserve(count);
  table.target_instruction.reserve(count);
  table.speedup.reserve(count);
  table.paired_speedup.reserve(count);
  table.flop_coverage.reserve(count);
  table.reasoning_tokens.reserve(count);
}

void append(TurnTable& table, const CoreRow& row) {
  table.trajectory.push_back(row.trajectory);
  table.turn.push_back(row.turn);
  table.label.push_back(row.label);
  table.target_instruction.push_back(row.target_instruction);
  table.speedup.push_back(row.speedup);
  table.paired_speedup.push_back(row.paired_speedup);
  table.flop_coverage.push_back(row.flop_coverage);
  table.reasoning_tokens.push_back(row.reasoning_tokens);
}

Status read_turns(const ResultsInput& file, TurnTable& table) {
  auto rows = TableReader<CoreRow>::open(file.id(), file.path(), schema::kTurns);
  if (!rows) return fail(rows.error());
  reserve(table, static_cast<std::size_t>(rows->size()));
  const auto trajectories = static_cast<std::int64_t>(table.trajectories.size());
  CoreRow row;
  while (true) {
    const auto more = rows->next(row);
    if (!more) return fail(more.error());
    if (!*more) return {};
    if (row.trajectory < 0 || row.trajectory >= trajectories || row.turn < 0) {
      return fail(rows->error("a row is of trajectory " + std::to_string(row.trajectory) +
                              ", turn " + std::to_string(row.turn) + ", which the plan has not"));
    }
    append(table, row);
  }
}

}  // namespace

Result<TurnTable> read_turn_table(const std::string& path) {
  const auto file = ResultsInput::open(path);
  if (!file) return fail(file.error());
  TurnTable table;
  PTXBATCH_RETURN_IF_ERROR(read_settings(*file, table));
  PTXBATCH_RETURN_IF_ERROR(read_devices(*file, table));
  PTXBATCH_RETURN_IF_ERROR(read_trajectories(*file, table));
  PTXBATCH_RETURN_IF_ERROR(read_turns(*file, table));
  return table;
}

}  // namespace ptxbatch
