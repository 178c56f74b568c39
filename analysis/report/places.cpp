#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/record_json.h"
#include "analysis/report/html.h"
#include "analysis/report/sections.h"
#include "analysis/show_text.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

using nlohmann::ordered_json;

std::string plain(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Unix time in seconds.
bool is_time_field(std::string_view name) {
  return name == "at_s" || name.ends_with("_at_s");
}

// "device_name" becomes "Device name", "started_at_s" "Started", "power_w" "Power (W)".
std::string heading(std::string name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kUnits = {
      {{"_mhz", " (MHz)"}, {"_w", " (W)"}, {"_c", " (°C)"}}};
  if (is_time_field(name)) name.resize(name.size() - (name == "at_s" ? 2 : 5));
  for (const auto& [ending, unit] : kUnits) {
    if (name.ends_with(ending)) name.replace(name.size() - ending.size(), ending.size(), unit);
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z') name.front() -= 'a' - 'A';
  return name;
}

// A column for each field of the records, whatever fields they have; one that is empty everywhere
// is left out.
HtmlTable field_table(const std::vector<ordered_json>& records) {
  HtmlTable table;
  if (records.empty()) return table;
  std::vector<std::string> names;
  for (const auto& field : records.front().items()) {
    const bool any = std::any_of(records.begin(), records.end(), [&](const ordered_json& record) {
      return !plain(record.at(field.key())).empty();
    });
    if (any) names.push_back(field.key());
  }
  for (const std::string& name : names) {
    table.header.push_back(html_text(heading(name)));
  }
  table.name_columns = names.size();
  for (const ordered_json& record : records) {
    auto& row = table.rows.emplace_back();
    for (const std::string& name : names) {
      const ordered_json& value = record.at(name);
      const bool is_time = is_time_field(name) && value.is_number();
      row.push_back(html_text(is_time ? time_text(value.get<double>()) : plain(value)));
    }
  }
  return table;
}

/// The least and the greatest of each number that readings of one device hold.
struct DeviceSummary {
  std::int64_t readings = 0;
  std::int64_t throttled = 0;
  std::map<std::string, std::pair<double, double>> ranges;
};

void add_reading(DeviceSummary& summary, const ordered_json& reading) {
  ++summary.readings;
  for (const auto& [name, value] : reading.items()) {
    if (!value.is_number()) continue;
    const auto number = value.get<double>();
    if (name == "throttle_reasons") {
      if (number != 0) ++summary.throttled;
      continue;
    }
    const auto [range, is_new] = summary.ranges.try_emplace(name, number, number);
    range->second.first = std::min(range->second.first, number);
    range->second.second = std::max(range->second.second, number);
  }
}

// The device of each session and rank of a run: "host, device name (id)".
std::map<std::pair<std::int32_t, std::int32_t>, std::string> devices_of(const RunRecords& run) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::string> devices;
  for (const EnvironmentRecord& of : run.environments) {
    devices[{of.session, of.rank}] = of.host + ", " + of.device_name + " (" + of.device_id + ")";
  }
  return devices;
}

std::map<std::string, DeviceSummary> summarize_devices(const ReportInput& input) {
  std::map<std::string, DeviceSummary> summaries;
  for (const RunRecords& run : input.runs) {
    const auto devices = devices_of(run);
    for (const TrajectoryRecords& trajectory : run.trajectories) {
      for (const TurnRecord& turn : trajectory.turns) {
        const auto device = devices.find({turn.session, turn.rank});
        const std::string name =
            device != devices.end() ? device->second
                                    : fmt::format("rank {} of session {}", turn.rank, turn.session);
        DeviceSummary summary;
        for (const DeviceReading& reading : turn.readings) {
          add_reading(summary, record_json(reading));
        }
        if (summary.readings == 0) continue;
        DeviceSummary& all = summaries[name];
        all.readings += summary.readings;
        all.throttled += summary.throttled;
        for (const auto& [field, range] : summary.ranges) {
          const auto [known, is_new] = all.ranges.try_emplace(field, range);
          known->second.first = std::min(known->second.first, range.first);
          known->second.second = std::max(known->second.second, range.second);
        }
      }
    }
  }
  return summaries;
}

std::string device_table(const std::map<std::string, DeviceSummary>& summaries) {
  HtmlTable table;
  table.header = {"Device", "Readings", "With throttling"};
  for (const auto& [field, range] : summaries.begin()->second.ranges) {
    table.header.push_back(html_text(heading(field)));
  }
  for (const auto& [name, summary] : summaries) {
    auto& row = table.rows.emplace_back();
    row = {html_text(name), grouped_digits(summary.readings), grouped_digits(summary.throttled)};
    for (const auto& [field, range] : summary.ranges) {
      row.push_back(fmt::format("{:.4g} to {:.4g}", range.first, range.second));
    }
    row.resize(table.header.size());
  }
  return html_table(table);
}

std::string events_table(const ReportInput& input) {
  std::vector<ordered_json> events;
  for (const RunRecords& run : input.runs) {
    for (const EventRecord& event : run.events) events.push_back(record_json(event));
  }
  if (events.empty()) return "<p>No events were recorded.</p>\n";
  constexpr std::size_t kMost = 500;
  const std::size_t all = events.size();
  if (all > kMost) events.resize(kMost);
  return html_table(field_table(events)) +
         (all > kMost
              ? fmt::format("<p class=\"muted\">The first {} of {} events.</p>\n", kMost, all)
              : "");
}

}  // namespace

std::string report_places(const ReportInput& input) {
  std::vector<ordered_json> environments;
  for (const RunRecords& run : input.runs) {
    for (const EnvironmentRecord& of : run.environments) environments.push_back(record_json(of));
  }
  return html_section("places", "Where it ran",
                      environments.empty() ? "<p>No environment was recorded.</p>\n"
                                           : html_table(field_table(environments)));
}

std::string report_health(const ReportInput& input) {
  const auto summaries = summarize_devices(input);
  const std::string readings = summaries.empty()
                                   ? "<p>No clocks, temperatures or power were recorded.</p>\n"
                                   : device_table(summaries);
  return html_section("health", "Devices' health",
                      readings + "<h3>Events</h3>\n" + events_table(input));
}

}  // namespace ptxbatch
