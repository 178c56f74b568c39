#include <spdlog/fmt/fmt.h>

#include <map>

#include "analysis/record_json.h"
#include "analysis/report/html.h"
#include "analysis/report/sections.h"
#include "analysis/text.h"

namespace ptxbatch {
namespace {

struct Cost {
  std::int64_t replies = 0;
  std::int64_t not_complete = 0;  // truncated, refused, out of context
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  double latency_s = 0;
  double cost_usd = 0;
};

void add(Cost& cost, const ReplyRecord& reply) {
  ++cost.replies;
  if (reply.end != ReplyEnd::kComplete) ++cost.not_complete;
  cost.prompt_tokens += reply.prompt_tokens;
  cost.cached_tokens += reply.cached_tokens;
  cost.completion_tokens += reply.completion_tokens;
  cost.reasoning_tokens += reply.reasoning_tokens;
  cost.latency_s += reply.latency_s;
  cost.cost_usd += reply.cost_usd;
}

std::string money(double usd) {
  return usd == 0 ? std::string(kNone) : fmt::format("{:.2f}", usd);
}

std::string hours(double seconds) {
  return seconds < 3600 ? fmt::format("{:.1f} min", seconds / 60)
                        : fmt::format("{:.1f} h", seconds / 3600);
}

std::string reply_table(const std::map<std::string, Cost>& by_model) {
  HtmlTable table;
  table.header = {"Model",
                  "Replies",
                  "Not complete",
                  "Prompt tokens",
                  "of those cached",
                  "Reply tokens",
                  "of those reasoning",
                  "Model time",
                  "US$"};
  for (const auto& [model, cost] : by_model) {
    table.rows.push_back(
        {html_text(model), grouped_digits(cost.replies), grouped_digits(cost.not_complete),
         grouped_digits(cost.prompt_tokens), grouped_digits(cost.cached_tokens),
         grouped_digits(cost.completion_tokens), grouped_digits(cost.reasoning_tokens),
         hours(cost.latency_s), money(cost.cost_usd)});
  }
  return html_table(table);
}

// Seconds of each stage, summed over the turns that each model took.
std::string stage_table(const std::map<std::string, std::map<std::string, double>>& by_model,
                        const std::vector<std::string>& stages) {
  HtmlTable table;
  table.header = {"Model"};
  for (const std::string& stage : stages) table.header.push_back(html_text(stage));
  for (const auto& [model, seconds] : by_model) {
    auto& row = table.rows.emplace_back();
    row.push_back(html_text(model));
    for (const std::string& stage : stages) row.push_back(hours(seconds.at(stage)));
  }
  return html_table(table);
}

}  // namespace

std::string report_cost(const ReportInput& input) {
  std::map<std::string, Cost> costs;
  std::map<std::string, std::map<std::string, double>> stage_seconds;
  std::vector<std::string> stages;
  JsonFields names([&stages](const char* name, const nlohmann::ordered_json& /*value*/) {
    stages.emplace_back(name);
  });
  const StageSeconds none;
  visit_fields(names, none);
  for (const RunRecords& run : input.runs) {
    for (std::size_t i = 0; i < run.trajectories.size(); ++i) {
      const std::string& model = run.experiment.trajectories[i].model;
      for (const ReplyRecord& reply : run.trajectories[i].replies) add(costs[model], reply);
      for (const TurnRecord& turn : run.trajectories[i].turns) {
        auto& seconds = stage_seconds[model];
        JsonFields fields([&seconds](const char* name, const nlohmann::ordered_json& value) {
          seconds[name] += value.is_number() ? value.get<double>() : 0;
        });
        visit_fields(fields, turn.stages);
      }
    }
  }
  std::string html = costs.empty() ? "<p>No replies were recorded.</p>\n" : reply_table(costs);
  if (!stage_seconds.empty()) {
    html += "<h3>Time by stage, summed over turns</h3>\n" + stage_table(stage_seconds, stages);
  }
  return html_section("cost", "Tokens, money and time", html);
}

}  // namespace ptxbatch
