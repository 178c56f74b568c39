#include "orchestrator/installation.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ptxbatch {
namespace {

std::filesystem::path home() {
  const char* home = std::getenv("PTXBATCH_HOME");
  return home != nullptr && *home != '\0' ? home : PTXBATCH_SOURCE_DIR;
}

}  // namespace

Status check_home() {
  const char* variable = std::getenv("PTXBATCH_HOME");
  std::error_code none;
  const bool is_tree = std::filesystem::is_directory(home() / "knowledge_packs", none) &&
                       std::filesystem::is_directory(home() / "experiments", none);
  if (variable == nullptr || is_tree) return {};
  return fail(
      ErrorKind::kUsage,
      "$PTXBATCH_HOME is '" + home().string() + "', which has no knowledge_packs/ and experiments/",
      "Set it to a source tree of ptxbatch, or unset it: unset PTXBATCH_HOME");
}

std::string knowledge_pack_folder(const std::string& target) {
  return (home() / "knowledge_packs" / target).string();
}

std::string problems_folder() {
  return (home() / "experiments" / "problems").string();
}

std::string paper_experiment(const std::string& name) {
  return (home() / "experiments" / "paper" / name).string();
}

std::string paper_values_folder() {
  return (home() / "results" / "paper").string();
}

Result<TargetPrograms> find_target_programs(const std::string& target) {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  // The GPU targets share one set of programs: the device tells which architecture it is.
  const std::string device = target == "host" ? "host" : "cuda";
  const auto program = [&](const std::string& role) {
    return (folder / ("ptxbatch-" + role + "-" + device)).string();
  };
  TargetPrograms programs{program("keeper"), program("runner"), program("tracer"), "", ""};
  if (device == "cuda") {
    programs.calibration = program("calibration") + ".so";
    programs.instrumented = program("instrumented");
  }
  for (const std::string& path : {programs.keeper, programs.runner, programs.tracer}) {
    if (::access(path.c_str(), X_OK) == 0) continue;
    Error error;
    error.kind = ErrorKind::kInput;
    error.what = "this build of ptxbatch cannot judge candidates for the target '" + target + "'";
    error.hint =
        "It has no program " + path +
        (device == "cuda" ? "; build on a machine that has the CUDA toolkit with CUPTI, cuBLAS "
                            "and cuDNN, and CMake will say what it does not find."
                          : ".");
    return fail(std::move(error));
  }
  return programs;
}

}  // namespace ptxbatch
