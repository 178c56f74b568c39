#include "tests/slurm/stub_stage.h"

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "common/file_system.h"

namespace ptxbatch {
namespace {

constexpr const char* kRunningJob =
    "[[ $1 != requeue ]] || exit 0\n"
    "echo 'JobId=100 JobState=RUNNING Reason=None Restarts=0 BatchFlag=1 ExitCode=0:0'\n";

// Everything that the scripts ask the program for. `turns N` is what a step has judged in all.
constexpr const char* kProgram = R"bash(
turns() { echo "$1" >turns; }
case $1 in
  run)
    touch out.h5
    env >"step_environment.$(grep -c '^ptxbatch run' calls)"
    eval "$(sed -n "$(grep -c '^ptxbatch run' calls)p" steps)"
    ;;
  status) echo "{ \"turns\": $(cat turns), \"limit_reached\": $(cat limit_reached 2>/dev/null || echo false) }" ;;
  doctor) env >doctor_environment ;;
  check) echo "checked"; exit "$(cat check_code 2>/dev/null || echo 0)" ;;
  *) echo "$1 of ptxbatch" ;;
esac
)bash";

}  // namespace

StubStage::StubStage() {
  stub("sbatch", "env >sbatch_environment\necho $((100 + $(grep -c ^sbatch calls)))\n");
  stub("scontrol", kRunningJob);
  stub("scancel", "");
  stub("squeue", "[[ $* != *%T ]] || echo RUNNING\n");
  stub("curl", "");
  stub("sleep", "exec /bin/sleep 0.02\n");
  stub("srun", "cd - >/dev/null; while [[ $1 == -* ]]; do shift; done; exec \"$@\"\n");
  stub("ptxbatch", kProgram);
  write("turns", "0\n");
  write("experiment.toml", "");
}

void StubStage::stub(const std::string& name, const std::string& body) const {
  write("bin/" + name,
        "#!/bin/bash\ncd '" + folder() + "'\necho " + name + " \"$@\" >>calls\n" + body);
  std::filesystem::permissions(file("bin/" + name), std::filesystem::perms::owner_all);
}

void StubStage::write(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
  if (auto written = write_text(file(name), text); !written) {
    throw std::runtime_error(describe(written.error()));
  }
}

std::string StubStage::read(const std::string& name) const {
  return read_text(file(name)).value_or("");
}

void StubStage::steps(const std::vector<std::string>& lines) const {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write("steps", text);
}

int StubStage::count_calls(const std::string& beginning) const {
  std::istringstream lines(calls());
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.rfind(beginning, 0) == 0 ? 1 : 0;
  return count;
}

CommandEnd StubStage::bash(std::vector<std::string> argv,
                           const std::vector<std::string>& variables) const {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  // Our children are deaf to USR1, which a shell could not undo.
  spec.argv.insert(spec.argv.begin(), {"/usr/bin/env", "--default-signal", "/bin/bash"});
  spec.environment = {"PATH=" + file("bin") + ":/usr/bin:/bin", "HOME=" + folder(),
                      "PTXBATCH_PROGRAM=" + file("bin/ptxbatch"),
                      "PTXBATCH_RESULTS=" + file("results"), "PTXBATCH_RANKS_PER_NODE=1"};
  spec.environment.insert(spec.environment.end(), variables.begin(), variables.end());
  spec.working_directory = folder();
  return ptxbatch::run(spec, 60);
}

CommandEnd StubStage::job(std::vector<std::string> argv, std::vector<std::string> variables) const {
  variables.insert(variables.end(),
                   {"SLURM_JOB_ID=100", "SLURM_NNODES=1", "PTXBATCH_HOME=" + source_file(".")});
  return bash(std::move(argv), variables);
}

}  // namespace ptxbatch
