// How a comparison is shown: tables for people, a row a number as CSV.
#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "analysis/comparison.h"
#include "analysis/table_numbers.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

double unit_of(TableKind kind) {
  return kind == TableKind::kBestSpeedup ? 1 : 100;
}

std::string signed_text(TableKind kind, double value) {
  return kind == TableKind::kBestSpeedup ? fmt::format("{:+.3f}", value)
                                         : fmt::format("{:+.1f}", 100 * value);
}

// "[+3.1, +48.0]", "p = 0.012", or that nothing can be said.
std::string chance_text(TableKind kind, const Difference& change) {
  if (change.p_value) {
    return *change.p_value < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", *change.p_value);
  }
  if (!change.interval) return fmt::format("[{}]", kNone);
  return fmt::format("[{}, {}]", signed_text(kind, change.interval->low),
                     signed_text(kind, change.interval->high));
}

// "33.3 → 62.5: +29.2 [+3.1, +48.0] *"; nothing happened: "33.3".
std::string number_text(const ComparedNumber& number) {
  if (number.first == number.second) return value_text(number.kind, number.first);
  return fmt::format(
      "{} → {}: {} {}{}", value_text(number.kind, number.first),
      value_text(number.kind, number.second), signed_text(number.kind, number.change.value),
      chance_text(number.kind, number.change), number.change.beyond_chance() ? " *" : "");
}

Sheet comparison_sheet(const Comparison& comparison, TableKind kind) {
  const std::vector<ComparedNumber>& numbers = comparison.numbers;
  const KindText text = kind_text(kind);
  Sheet sheet;
  sheet.title = pick(text.title, text.paired_title, comparison.speedup);
  sheet.header = {"Target", "Model", "Problem", "Counted"};
  sheet.name_columns = sheet.header.size();
  std::vector<std::int32_t> limits;
  for (const ComparedNumber& number : numbers) {
    if (number.kind != kind) continue;
    if (std::find(limits.begin(), limits.end(), number.turns) == limits.end()) {
      limits.push_back(number.turns);
      sheet.header.push_back(counted(number.turns, "turn", "turns"));
    }
    if (number.turns == limits.front()) {
      sheet.rows.push_back({number.target, number.model, number.problem,
                            number.with_target ? "target instruction" : "all correct"});
    }
    sheet.rows.back().push_back(number_text(number));
  }
  return sheet;
}

std::string comparison_csv(const Comparison& comparison) {
  std::string csv =
      "metric,target,model,problem,turns,restriction,first,second,difference,low,high,p_value,"
      "beyond_chance\n";
  for (const ComparedNumber& number : comparison.numbers) {
    const double unit = unit_of(number.kind);
    const auto text = [&](double value) { return fmt::format("{:.6g}", unit * value); };
    const KindText kind = kind_text(number.kind);
    const Difference& change = number.change;
    const std::vector<std::string> row = {
        std::string(pick(kind.metric, kind.paired_metric, comparison.speedup)),
        number.target,
        number.model,
        number.problem,
        std::to_string(number.turns),
        number.with_target ? "target_instruction" : "unrestricted",
        text(number.first),
        text(number.second),
        text(change.value),
        change.interval ? text(change.interval->low) : "",
        change.interval ? text(change.interval->high) : "",
        change.p_value ? fmt::format("{:.6g}", *change.p_value) : "",
        change.judged() ? std::to_string(static_cast<int>(change.beyond_chance())) : ""};
    csv += join_changed(row, ",", csv_field) + '\n';
  }
  return csv;
}

std::vector<std::string> closing_notes(const Comparison& comparison) {
  const auto count = [&](bool (Difference::*is)() const) {
    return std::count_if(comparison.numbers.begin(), comparison.numbers.end(),
                         [&](const ComparedNumber& number) { return (number.change.*is)(); });
  };
  const auto all = static_cast<std::ptrdiff_t>(comparison.numbers.size());
  const auto judged = count(&Difference::judged);
  std::vector<std::string> notes = {
      "A cell: first → second: difference; * where it is more than chance. A number alone is the "
      "same in both.",
      "Turn correctness: Newcombe's 95 % interval of the difference from Wilson intervals with the "
      "number of independent turns that vary as much as the trajectories do, and Student's "
      "quantile; * where 0 lies outside it.",
      "Best speedup: p, how often the bests are as far apart when the trajectories of both are "
      "dealt out anew; * up to 0.05.",
  };
  if (judged < all) notes.push_back(too_few_note());
  notes.insert(notes.end(), comparison.notes.begin(), comparison.notes.end());
  notes.push_back(fmt::format(
      "{} of {} numbers differ by more than chance{}. Of two like runs chance marks up to 5 in 100 "
      "numbers, where few trajectories are ever correct up to 8 (simulated).",
      count(&Difference::beyond_chance), all,
      judged < all ? fmt::format(", {} cannot be told from it", all - judged) : ""));
  return notes;
}

}  // namespace

std::string render_comparison(const Comparison& comparison, const std::string& first,
                              const std::string& second, TableFormat format, std::size_t width) {
  if (format == TableFormat::kCsv) return comparison_csv(comparison);
  std::vector<std::string> texts;
  for (const TableKind kind : kComparedKinds) {
    Sheet sheet = comparison_sheet(comparison, kind);
    sheet.title += fmt::format(": {} → {}", first, second);
    if (kind == kComparedKinds.back()) sheet.notes = closing_notes(comparison);
    texts.push_back(render_sheet(sheet, format, width));
  }
  return join(texts, "\n");
}

}  // namespace ptxbatch
