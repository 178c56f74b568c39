#include "analysis/tables.h"

#include <algorithm>
#include <array>

#include "analysis/report/html.h"
#include "analysis/report/sections.h"

namespace ptxbatch {
namespace {

constexpr std::array kKinds = {TableKind::kCorrectness, TableKind::kBestSpeedup, TableKind::kPass};

/// Tables that stand together, and what is to be known of all of them.
struct SharedNotes {
  std::string tables;
  std::vector<std::string> notes;
};

SharedNotes tables_of(const TableNumbers& numbers, const std::vector<std::uint32_t>& group,
                      const TableOptions& options) {
  std::vector<Sheet> sheets;
  sheets.reserve(kKinds.size());
  for (const TableKind kind : kKinds) {
    sheets.push_back(score_sheet(numbers, group, kind, options));
  }
  share_notes(sheets);
  SharedNotes result;
  for (const Sheet& sheet : sheets) result.tables += html_sheet(sheet);
  result.notes = std::move(sheets.back().notes);
  return result;
}

// The numbers, and for those who want them the same again with their intervals.
std::string group_html(const TableNumbers& numbers, const std::vector<std::uint32_t>& group,
                       SpeedupKind speedup) {
  TableOptions options;
  options.format = TableFormat::kHtml;
  options.speedup = speedup;
  const SharedNotes plain = tables_of(numbers, group, options);
  options.intervals = true;
  SharedNotes intervals = tables_of(numbers, group, options);
  std::erase_if(intervals.notes, [&](const std::string& note) {
    return std::find(plain.notes.begin(), plain.notes.end(), note) != plain.notes.end();
  });
  return html_notes(plain.notes) + plain.tables +
         "<details><summary>With 95 % intervals</summary>\n" + html_notes(intervals.notes) +
         intervals.tables + "</details>\n";
}

}  // namespace

std::string report_tables(const ReportInput& input) {
  const std::vector<std::int32_t> limits = capped_limits(input.tables, TableOptions{}.turns);
  const TableNumbers numbers(input.tables, group_trajectories(input.tables), limits, input.speedup,
                             true);
  std::string html;
  for (const auto& group : comparable_groups(numbers.conditions)) {
    html += group_html(numbers, group, input.speedup);
  }
  if (html.empty()) html = "<p>No trajectories: there is nothing to tabulate.</p>";
  return html_section("tables", "Tables", html);
}

}  // namespace ptxbatch
