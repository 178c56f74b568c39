// One turn's whole story, in the order in which it happened: the reply, the candidate, what the
// compiler said, the verdict, the measurement, the evidence, and what the model was told.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

#include "analysis/record_json.h"
#include "analysis/sheet.h"
#include "analysis/show.h"
#include "analysis/show_text.h"
#include "analysis/text.h"
#include "common/median.h"

namespace ptxbatch {
namespace {

// Fields that have a place of their own; every other one is listed at the end.
constexpr std::array<std::string_view, 24> kPlacedFields = {"trajectory",
                                                            "turn",
                                                            "label",
                                                            "cause",
                                                            "feedback",
                                                            "source",
                                                            "compiler_output",
                                                            "speedup",
                                                            "paired_speedup",
                                                            "max_abs_error",
                                                            "max_rel_error",
                                                            "rms_rel_error",
                                                            "matching_share",
                                                            "instructions",
                                                            "timings",
                                                            "stages",
                                                            "flop_coverage",
                                                            "readings",
                                                            "text",
                                                            "reasoning",
                                                            "candidate_latency_ms",
                                                            "reference_latency_ms",
                                                            "target_instruction",
                                                            "finished_at_s"};

bool has_a_place(std::string_view name) {
  return std::find(kPlacedFields.begin(), kPlacedFields.end(), name) != kPlacedFields.end();
}

void add_line(std::string& text, std::string_view name, const std::string& value) {
  if (!value.empty()) text += "  " + pad_right(name, 22) + printable(value) + "\n";
}

void add_section(std::string& text, std::string_view title, std::string_view body,
                 std::size_t width) {
  if (!body.empty()) text += section_rule(title, width) + indented(body);
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string outcome(const TurnRecord& turn) {
  std::string text;
  add_line(
      text, "outcome",
      std::string(label_name(turn.label)) + (turn.cause.empty() ? "" : " (" + turn.cause + ")"));
  if (turn.label == Label::kCorrect) {
    add_line(text, "speedup", times_text(turn.speedup));
    if (turn.paired_speedup > 0) {
      add_line(text, "speedup, paired", times_text(turn.paired_speedup));
    }
  }
  if (turn.candidate_latency_ms > 0) {
    add_line(text, "candidate", number(turn.candidate_latency_ms) + " ms");
  }
  if (turn.reference_latency_ms > 0) {
    add_line(text, "reference", number(turn.reference_latency_ms) + " ms");
  }
  if (turn.matching_share > 0 || turn.max_abs_error > 0) {
    add_line(text, "largest error",
             fmt::format("{} absolute, {} relative", number(turn.max_abs_error),
                         number(turn.max_rel_error)));
    add_line(text, "RMS relative error", number(turn.rms_rel_error));
    add_line(text, "matching elements", fmt::format("{:.4f} %", 100 * turn.matching_share));
  }
  add_line(text, "target instruction",
           std::string(target_instruction_name(turn.target_instruction)));
  if (turn.flop_coverage >= 0) {
    add_line(text, "FLOP coverage", fmt::format("{:.3f}", turn.flop_coverage));
  }
  add_line(text, "finished", time_text(turn.finished_at_s));
  return text;
}

std::string stages(const TurnRecord& turn) {
  std::string text;
  JsonFields fields([&text](const char* name, const nlohmann::ordered_json& value) {
    add_line(text, name, fmt::format("{:.3f} s", value.get<double>()));
  });
  visit_fields(fields, turn.stages);
  return text;
}

std::string timings(const TurnRecord& turn) {
  std::string text;
  for (const TimingRecord& timing : turn.timings) {
    if (timing.samples_ms.empty()) continue;
    const auto [least, most] =
        std::minmax_element(timing.samples_ms.begin(), timing.samples_ms.end());
    text += fmt::format(
        "  trial {} block {:>2}  {:<9}  median {:>10} ms  least {:>10}  most {:>10}  {}\n",
        timing.trial, timing.block, enum_name(timing.side), number(median(timing.samples_ms)),
        number(*least), number(*most), spark_line(timing.samples_ms));
  }
  return text;
}

std::string instructions(const TurnRecord& turn, std::size_t width) {
  Sheet sheet;
  sheet.title = "Instructions of the target family";
  sheet.header = {"Function", "Address", "Instruction", "Executed", "Warps", "Threads"};
  sheet.name_columns = 3;
  for (const InstructionRecord& of : turn.instructions) {
    sheet.rows.push_back({of.function, fmt::format("{:#06x}", of.address), of.text,
                          of.executed ? "yes" : "no", count_text(of.warp_executions),
                          count_text(of.thread_executions)});
  }
  return sheet.rows.empty() ? "" : "\n" + render_terminal(sheet, width);
}

template <class Record>
std::string other_fields(const Record& record) {
  std::string text;
  JsonFields fields([&text](const char* name, const nlohmann::ordered_json& value) {
    if (has_a_place(name)) return;
    add_line(text, name, value.is_string() ? value.get<std::string>() : value.dump());
  });
  visit_fields(fields, record);
  return text;
}

// How the device was around the timed calls.
std::string reading_lines(const TurnRecord& turn) {
  std::string text;
  for (const DeviceReading& reading : turn.readings) {
    std::vector<std::string> parts;
    JsonFields fields([&parts](const char* name, const nlohmann::ordered_json& value) {
      parts.push_back(std::string(name) + " " +
                      (value.is_string() ? value.get<std::string>() : value.dump()));
    });
    visit_fields(fields, reading);
    text += "  " + printable(join(parts, ", ")) + "\n";
  }
  return text;
}

}  // namespace

Result<std::string> show_turn(const RunRecords& run, std::int32_t trajectory, std::int32_t turn,
                              std::size_t width) {
  const auto index = static_cast<std::size_t>(trajectory);
  const TrajectoryRecords& records = run.trajectories.at(index);
  const auto found = std::find_if(records.turns.begin(), records.turns.end(),
                                  [turn](const TurnRecord& record) { return record.turn == turn; });
  if (found == records.turns.end()) {
    return fail(Error{ErrorKind::kUsage,
                      fmt::format("trajectory {} has no turn {}", trajectory, turn),
                      records.turns.empty()
                          ? "It has not taken any turn."
                          : fmt::format("Its turns are {} to {}.", records.turns.front().turn,
                                        records.turns.back().turn),
                      run.path,
                      0,
                      0,
                      {}});
  }
  std::string text =
      trajectory_title(run.experiment.trajectories.at(index)) + fmt::format(", turn {}\n\n", turn);
  text += outcome(*found);
  if (const ReplyRecord* reply = records.reply_to(turn)) {
    add_section(text, "reasoning", reply->reasoning, width);
    add_section(text, "reply", reply->text, width);
    text += section_rule("about the reply", width) + other_fields(*reply);
  }
  add_section(text, "candidate", found->source, width);
  add_section(text, "compiler", found->compiler_output, width);
  text += section_rule("stages", width) + stages(*found);
  if (!found->timings.empty()) text += section_rule("timing samples", width) + timings(*found);
  if (const std::string lines = reading_lines(*found); !lines.empty()) {
    text += section_rule("device", width) + lines;
  }
  text += instructions(*found, width);
  add_section(text, "feedback", found->feedback, width);
  text += section_rule("further fields", width) + other_fields(*found);
  return text;
}

}  // namespace ptxbatch
