// The report is a list of <record>. What happened stands in <what>: a text, and for some kinds a
// <type>; a race has a <source> and a <destination> there, each with its place. A place (<where>,
// and the frames of <deviceStack> that called it) is a function, a file and a line.
#include "ranks/profile/sanitizer_report.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxbatch {
namespace {

std::string child_text(const pugi::xml_node& node, const char* name) {
  return node.child_value(name);
}

// "kernel.cu:12, in attention"
std::string place_text(const pugi::xml_node& place) {
  const std::string path = child_text(place, "path");
  const std::string line = child_text(place, "line");
  const std::string function = child_text(place, "func");
  if (path.empty()) return function.empty() ? "an unknown place" : function;
  return fmt::format("{}:{}, in {}", path.substr(path.find_last_of('/') + 1), line, function);
}

std::string race_text(const pugi::xml_node& what) {
  const auto side = [](const pugi::xml_node& access) {
    return fmt::format("{} at {}", access.child_value("direction"),
                       place_text(access.child("where")));
  };
  return fmt::format("{}:\n  {}\n  {}\n", what.child_value("text"), side(what.child("source")),
                     side(what.child("destination")));
}

std::string fault_text(const pugi::xml_node& record) {
  const pugi::xml_node what = record.child("what");
  if (what.child("source")) return race_text(what);
  std::string text = child_text(what, "text");
  if (const std::string type = child_text(what, "type"); !type.empty()) text += ": " + type;
  text += "\n  at " + place_text(record.child("where")) + "\n";
  for (const pugi::xml_node& frame : record.child("deviceStack").children("frame")) {
    text += "  called at " + place_text(frame) + "\n";
  }
  return text;
}

std::string index_text(const pugi::xml_node& index) {
  return fmt::format("({}, {}, {})", index.child_value("x"), index.child_value("y"),
                     index.child_value("z"));
}

// Who was the first, and the address where there is one.
std::string detail_text(const pugi::xml_node& record) {
  std::string text;
  if (const pugi::xml_node who = record.child("who")) {
    text = fmt::format("  thread {} of block {}", index_text(who.child("threadIdx")),
                       index_text(who.child("blockIdx")));
  }
  if (const std::string address = child_text(record.child("what"), "address"); !address.empty()) {
    text += (text.empty() ? "  address " : ", address ") + address;
  }
  return text.empty() ? text : text + "\n";
}

/// Records that say the same of other threads are one fault.
struct Fault {
  std::string text;
  std::string detail;
  int records = 1;
};

// Seen once with a sound kernel: it tells of the tool and not of the candidate.
constexpr std::string_view kToolsOwn = "Internal Sanitizer Error";

std::vector<Fault> collect(const pugi::xml_node& root) {
  std::vector<Fault> faults;
  for (const pugi::xml_node& record : root.children("record")) {
    std::string text = fault_text(record);
    if (text.starts_with(kToolsOwn)) continue;
    if (!faults.empty() && faults.back().text == text) {
      ++faults.back().records;
    } else {
      faults.push_back({std::move(text), detail_text(record), 1});
    }
  }
  return faults;
}

}  // namespace

Result<std::string> sanitizer_report_text(const std::string& xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_string(xml.c_str());
  if (!parsed) return fail(ErrorKind::kInput, parsed.description());
  const std::vector<Fault> faults = collect(document.child("ComputeSanitizerOutput"));
  if (faults.empty()) return fail(ErrorKind::kInput, "it holds no fault of the candidate");
  std::string text;
  for (const Fault& fault : faults) {
    text += fault.text + fault.detail;
    if (fault.records > 1) text += fmt::format("  the same {} times in all\n", fault.records);
  }
  return text;
}

}  // namespace ptxbatch
