#include "ranks/prompt/repair_notes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "common/file_system.h"
#include "ranks/excerpt.h"
#include "ranks/problems/json_document.h"

namespace ptxbatch {
namespace {

constexpr std::int64_t kSchema = 1;

Result<RepairRecord> read_record(std::string_view line, const std::string& file, int number) {
  const auto document = JsonDocument::parse(line, file, number);
  if (!document) return fail(document.error());
  const JsonNode root = document->root();
  root.expect_keys({"schema", "target", "definition", "failed_kernel", "notes", "fixed_kernel"},
                   {"label", "speedup", "origin"});
  if (root.at("schema").present() && root.at("schema").positive_integer() != kSchema) {
    root.at("schema").reject("this program reads schema 1 of repair notes");
  }
  RepairRecord record;
  record.target = root.at("target").text();
  record.definition = root.at("definition").text();
  record.failed_kernel = root.at("failed_kernel").text();
  record.fixed_kernel = root.at("fixed_kernel").text();
  for (const JsonNode& note : root.at("notes").elements()) record.notes.push_back(note.text());
  if (root.at("label").present()) record.label = root.at("label").text();
  if (root.at("speedup").present()) record.speedup = root.at("speedup").number();
  if (root.at("origin").present()) record.origin = root.at("origin").text();
  if (const Status status = document->status(); !status) return fail(status.error());
  return record;
}

const RepairRecord& fastest(const std::vector<RepairRecord>& repairs) {
  return *std::max_element(
      repairs.begin(), repairs.end(),
      [](const RepairRecord& a, const RepairRecord& b) { return a.speedup < b.speedup; });
}

std::string speedup_text(double speedup) {
  if (!(speedup > 0)) return {};
  std::string number = std::to_string(speedup);
  number.resize(number.find('.') + 3);
  return " (speedup " + number + "x)";
}

std::string note_item(const std::string& note) {
  std::string item = "- ";
  for (const char c : note) {
    item += c;
    if (c == '\n') item += "  ";
  }
  while (item.ends_with(' ') || item.ends_with('\n')) item.pop_back();
  return item + "\n";
}

std::string kernel_block(const RepairRecord& repair) {
  std::string text =
      "\nThis is how it was put right" + speedup_text(repair.speedup) + ":\n\n```cpp\n";
  text += repair.fixed_kernel;
  if (!text.ends_with('\n')) text += '\n';
  return text + "```\n";
}

/// The section behind a feedback, within its limits.
class NotesSection {
 public:
  explicit NotesSection(const RepairNotesSettings& settings)
      : settings_(settings),
        room_bytes_(static_cast<std::size_t>(settings.max_tokens) * kCharactersPerToken) {}

  void add(const FailedKernel& kernel) {
    const std::string notes = new_notes(kernel);
    if (notes.empty() && !settings_.fixed_kernel) return;
    std::string head = kernels_ == 0 ? std::string(kIntroduction) : "";
    head += "\n## Similar failed kernel " + std::to_string(kernels_ + 1) +
            (kernel.label.empty() ? "" : ": " + kernel.label) + "\n\n";
    if (!fits(head + notes)) return;
    ++kernels_;
    text_ += head + notes;
    if (!settings_.fixed_kernel) return;
    const std::string block = kernel_block(fastest(kernel.repairs));
    text_ += fits(block) ? block : "\nIts repaired form is too long to be shown.\n";
  }

  std::string take() { return std::move(text_); }

 private:
  static constexpr std::string_view kIntroduction =
      "\n# Repairs of similar kernels\n\nNotes on kernels for this same problem that failed and "
      "were "
      "put right. They are about other code than yours: take what applies.\n";

  [[nodiscard]] bool fits(const std::string& text) const {
    return text_.size() + text.size() <= room_bytes_;
  }

  // What no earlier kernel's notes have said.
  std::string new_notes(const FailedKernel& kernel) {
    std::string items;
    for (const RepairRecord& repair : kernel.repairs) {
      for (const std::string& note : repair.notes) {
        if (said_.size() == static_cast<std::size_t>(settings_.notes)) return items;
        if (said_.insert(note).second) items += note_item(note);
      }
    }
    return items;
  }

  const RepairNotesSettings& settings_;
  std::size_t room_bytes_;
  std::set<std::string> said_;
  int kernels_ = 0;
  std::string text_;
};

}  // namespace

std::string repair_record_line(const RepairRecord& record) {
  nlohmann::ordered_json line = {
      {"schema", kSchema}, {"target", record.target}, {"definition", record.definition}};
  if (!record.label.empty()) line["label"] = record.label;
  line["notes"] = record.notes;
  line["failed_kernel"] = record.failed_kernel;
  line["fixed_kernel"] = record.fixed_kernel;
  if (record.speedup > 0) line["speedup"] = record.speedup;
  if (!record.origin.empty()) line["origin"] = record.origin;
  // A reply may hold bytes that are not UTF-8; JSON may not.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<RepairNotes> RepairNotes::read(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  return parse(*text, path);
}

Result<RepairNotes> RepairNotes::parse(const std::string& text, const std::string& file) {
  RepairNotes notes;
  int number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++number;
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto record = read_record(line, file, number);
    if (!record) return fail(record.error());
    notes.add(std::move(*record));
  }
  notes.build_indices();
  return notes;
}

void RepairNotes::add(RepairRecord record) {
  std::vector<FailedKernel>& kernels = groups_[{record.target, record.definition}].kernels;
  auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const FailedKernel& known) {
    return known.source == record.failed_kernel;
  });
  if (kernel == kernels.end()) {
    kernels.push_back({std::move(record.failed_kernel), record.label, {}});
    kernel = std::prev(kernels.end());
  }
  record.failed_kernel.clear();
  kernel->repairs.push_back(std::move(record));
}

void RepairNotes::build_indices() {
  for (auto& [key, group] : groups_) {
    std::vector<TermCounts> documents;
    for (const FailedKernel& kernel : group.kernels) {
      documents.push_back(source_terms(kernel.source));
    }
    group.index = Bm25(std::move(documents));
  }
}

std::size_t RepairNotes::failed_kernels(const std::string& target,
                                        const std::string& definition) const {
  const auto group = groups_.find({target, definition});
  return group == groups_.end() ? 0 : group->second.kernels.size();
}

std::vector<const FailedKernel*> RepairNotes::most_similar(const Group& group,
                                                           const std::string& source, int kernels) {
  const std::vector<double> scores = group.index.scores(source_terms(source));
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<const FailedKernel*> similar;
  for (const std::size_t at : order) {
    if (!(scores[at] > 0) || similar.size() == static_cast<std::size_t>(kernels)) break;
    similar.push_back(&group.kernels[at]);
  }
  return similar;
}

std::string RepairNotes::text_for(const std::string& target, const std::string& definition,
                                  const std::string& source,
                                  const RepairNotesSettings& settings) const {
  const auto group = groups_.find({target, definition});
  if (group == groups_.end()) return {};
  NotesSection section(settings);
  for (const FailedKernel* kernel : most_similar(group->second, source, settings.kernels)) {
    section.add(*kernel);
  }
  return section.take();
}

}  // namespace ptxbatch
