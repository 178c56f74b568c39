#include <algorithm>
#include <array>
#include <utility>

#include "analysis/export.h"
#include "analysis/record_json.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using nlohmann::ordered_json;

// Long texts and lists do not fit a table.
bool is_column(std::string_view name, const ordered_json& value) {
  constexpr std::array<std::string_view, 5> kLong = {"feedback", "source", "compiler_output",
                                                     "text", "reasoning"};
  return !value.is_array() && std::find(kLong.begin(), kLong.end(), name) == kLong.end();
}

// The named fields of one turn in the order of the columns.
using Fields = std::vector<std::pair<std::string, ordered_json>>;

template <class Record>
void add_fields(Fields& fields, const Record& record, const std::string& prefix) {
  JsonFields visitor([&](const char* name, ordered_json value) {
    if (value.is_object()) {
      for (const auto& [inner, number] : value.items()) fields.emplace_back(inner + "_s", number);
    } else if (is_column(name, value)) {
      fields.emplace_back(prefix + name, std::move(value));
    }
  });
  visit_fields(visitor, record);
}

Fields fields_of(const RunRecords& run, const PlannedTrajectory& planned, const TurnRecord& turn,
                 const ReplyRecord* reply) {
  const ReplyRecord none;
  Fields fields = {{"file", repair_utf8(run.path)},
                   {"experiment", repair_utf8(run.experiment.name)}};
  add_fields(fields, planned, "");
  Fields of_turn;
  add_fields(of_turn, turn, "");
  std::erase_if(of_turn, [](const auto& field) { return field.first == "trajectory"; });
  fields.insert(fields.end(), of_turn.begin(), of_turn.end());
  Fields of_reply;
  add_fields(of_reply, reply != nullptr ? *reply : none, "reply_");
  std::erase_if(of_reply, [](const auto& field) {
    return field.first == "reply_trajectory" || field.first == "reply_turn";
  });
  fields.insert(fields.end(), of_reply.begin(), of_reply.end());
  return fields;
}

std::string csv_text(const ordered_json& value) {
  if (value.is_string()) return csv_field(value.get<std::string>());
  return value.is_null() ? "" : value.dump();
}

std::string row_of(const Fields& fields) {
  return join_changed(fields, ",", [](const auto& field) { return csv_text(field.second); }) + '\n';
}

std::string header() {
  const RunRecords run;
  const ReplyRecord reply;
  const Fields fields = fields_of(run, {}, {}, &reply);
  return join_changed(fields, ",", [](const auto& field) { return csv_field(field.first); }) + '\n';
}

}  // namespace

std::string export_turns_csv(std::span<const RunRecords> runs) {
  std::string csv = header();
  for (const RunRecords& run : runs) {
    for (std::size_t i = 0; i < run.trajectories.size(); ++i) {
      const TrajectoryRecords& records = run.trajectories[i];
      for (const TurnRecord& turn : records.turns) {
        csv += row_of(
            fields_of(run, run.experiment.trajectories[i], turn, records.reply_to(turn.turn)));
      }
    }
  }
  return csv;
}

}  // namespace ptxbatch
