#include "orchestrator/allocation.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "common/log.h"
#include "common/squeue.h"

namespace ptxbatch {
namespace {

std::optional<long> number(const std::string& text) {
  if (text.empty() || text.size() > 12 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stol(text);
}

std::optional<long> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? number(text) : std::nullopt;
}

std::optional<double> seconds_left(const std::string& job) {
  const auto left = ask_squeue(job, "%L");
  if (!left) {
    spdlog::warn("Slurm does not say when job {} ends: {}", job, describe(left.error()));
    return std::nullopt;
  }
  return parse_time_left(left->substr(0, left->find_first_of("\r\n")));
}

}  // namespace

std::optional<StepFacts> step_of_this_process() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return std::nullopt;
  const auto tasks = number_in("SLURM_STEP_NUM_TASKS");
  const auto task = number_in("SLURM_PROCID");
  if (!tasks || !task) return std::nullopt;
  return StepFacts{static_cast<int>(*tasks), static_cast<int>(*task)};
}

Status check_launch(const std::optional<StepFacts>& step, int mpi_size) {
  if (!step || step->tasks == mpi_size) return {};
  return fail(ErrorKind::kUsage,
              fmt::format("srun started {} processes, but MPI joined only {} of them", step->tasks,
                          mpi_size),
              "Start them with srun --mpi=pmix (srun --mpi=list shows what this Slurm has; in "
              "slurm/profile.sh it is PTXBATCH_MPI), or with mpirun. Nothing was opened.");
}

// Fields are counted from the right: seconds, minutes, hours.
std::optional<double> parse_time_left(const std::string& text) {
  const auto dash = text.find('-');
  const auto days = dash == std::string::npos ? 0L : number(text.substr(0, dash));
  if (!days) return std::nullopt;
  std::string rest = dash == std::string::npos ? text : text.substr(dash + 1);
  std::vector<long> fields;
  for (std::size_t colon = 0; colon != std::string::npos;) {
    colon = rest.find(':');
    const auto field = number(rest.substr(0, colon));
    if (!field) return std::nullopt;
    fields.push_back(*field);
    if (colon != std::string::npos) rest = rest.substr(colon + 1);
  }
  if (fields.size() < 2 || fields.size() > 3) return std::nullopt;
  long seconds = 0;
  for (const long field : fields) seconds = seconds * 60 + field;
  return static_cast<double>(*days * 86400 + seconds);
}

std::optional<Deadline> end_of_allocation() {
  const char* job = std::getenv("SLURM_JOB_ID");
  if (job == nullptr) return std::nullopt;
  if (const auto end = number_in("SLURM_JOB_END_TIME")) {
    return deadline_in(static_cast<double>(*end) - unix_time_s());
  }
  const auto left = seconds_left(job);
  if (!left) return std::nullopt;
  return deadline_in(*left);
}

}  // namespace ptxbatch
