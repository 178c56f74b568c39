#include "tests/quickstart/small_experiment.h"

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "common/file_system.h"
#include "tests/quickstart/command.h"

namespace ptxbatch {

std::string SmallExperiment::text() const {
  std::ostringstream text;
  text << "name = \"" << name << "\"\n"
       << "problems_folder = \""
       << (problems.empty() ? source_file("experiments/problems") : problems) << "\"\n"
       << "replicas = " << replicas << "\n"
       << (models.empty() ? recorded_model(quickstart_replies()) : models)
       << "[[targets]]\nname = \"host\"\n"
       << target << "[[problems]]\nname = \"GEMM\"\ndefinition = \"" << definition << "\"\n"
       << "workload = \"7c0f5e0e-3b58-4d5c-9c56-0d6f1e2a9b41\"\n"
       << "[[prompts]]\ntag = \"base\"\n"
       << "[protocol]\n"
       << protocol << rest;
  return text.str();
}

std::string recorded_model(const std::string& folder, double replay_latency) {
  std::ostringstream text;
  text << "[[models]]\nname = \"recorded\"\nprovider = \"recorded\"\nreplies = \"" << folder
       << "\"\nreplay_latency = " << replay_latency << "\n";
  return text.str();
}

std::string quickstart_replies() {
  return source_file("experiments/recorded/quickstart");
}

void Workspace::write(const SmallExperiment& small) const {
  write("experiment.toml", small.text());
}

void Workspace::write(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
  if (auto written = write_text(file(name), text); !written) {
    throw std::runtime_error(describe(written.error()));
  }
}

void Workspace::add_reply(int trajectory, int turn, const std::string& text) const {
  std::ostringstream name;
  name << "replies/gemm_f32_n192_k160/exp_00" << trajectory << "/turn_" << turn << ".md";
  write(name.str(), text);
}

void add_prose_replies(const Workspace& workspace, int trajectories, int turns) {
  for (int trajectory = 0; trajectory < trajectories; ++trajectory) {
    for (int turn = 0; turn < turns; ++turn) {
      workspace.add_reply(
          trajectory, turn,
          "I would tile the product for the registers first, then for the cache.\n");
    }
  }
}

}  // namespace ptxbatch
