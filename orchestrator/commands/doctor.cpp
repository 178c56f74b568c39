// ptxbatch doctor: whether the model endpoints of an experiment work.

#include <fmt/format.h>
#include <sys/prctl.h>

#include <set>
#include <vector>

#include "orchestrator/commands/commands.h"
#include "orchestrator/commands/support.h"
#include "orchestrator/endpoint_check.h"
#include "orchestrator/exit_codes.h"
#include "orchestrator/experiment_file.h"
#include "orchestrator/model_section.h"
#include "ranks/generate/model_client.h"

namespace ptxbatch {
namespace {

std::vector<EndpointFinding> look_at(HttpLoop& loop, ModelSpec& model, const ApiKeys& keys) {
  if (auto taken = take_url_from_environment(model); !taken) {
    return {{"address", false, taken.error().what, taken.error().hint}};
  }
  return check_endpoint(loop, model, keys);
}

int doctor(const std::string& file) {
  ::prctl(PR_SET_DUMPABLE, 0);
  auto experiment = read_experiment_file(file);
  if (!experiment) return report(experiment.error());
  const ApiKeys keys = ApiKeys::take_from_environment(experiment->models);
  HttpLoop loop;
  int faults = 0;
  int checked = 0;
  std::set<std::string> seen;
  for (ModelSpec& model : experiment->models) {
    // Variants of a model share its endpoint.
    if (!needs_http(model) || !seen.insert(model.base).second) continue;
    ++checked;
    fmt::print("{} ({}, {})\n", model.base, model.provider, model.endpoint.model);
    for (const EndpointFinding& finding : look_at(loop, model, keys)) {
      fmt::print("  {:<5} {:<8} {}\n", finding.good ? "ok" : "FAULT", finding.what, finding.text);
      if (!finding.good && !finding.hint.empty()) fmt::print("{:17}{}\n", "", finding.hint);
      faults += finding.good ? 0 : 1;
    }
  }
  if (checked == 0) fmt::print("No model of this experiment is behind HTTP.\n");
  return faults == 0 ? kExitDone : kExitError;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  const auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Check the model endpoints of an experiment: two replies of a few tokens each");
  command->add_option("EXPERIMENT", *file, "Experiment file (TOML)")->required();
  command->callback([file, &exit_code] { exit_code = doctor(*file); });
}

}  // namespace ptxbatch
