// What the batch system says about this process: how many processes its launcher started, and when
// the machines are taken away. Read once, at the start.
#pragma once

#include <optional>
#include <string>

#include "common/clock.h"
#include "common/error.h"

namespace ptxbatch {

/// What Slurm told a process of a step (`srun`); nothing outside one. Under mpirun the step is that
/// of mpirun's own helpers, and does not count.
struct StepFacts {
  int tasks = 0;
  int task = 0;  // this process, from 0
};
std::optional<StepFacts> step_of_this_process();

/// An error when MPI joined fewer processes than srun started: each group of them would take itself
/// for the whole job. `mpi_size` is 1 where no MPI launcher is known to the MPI library.
Status check_launch(const std::optional<StepFacts>& step, int mpi_size);

/// Seconds from Slurm's "[DAYS-][HOURS:]MINUTES:SECONDS"; nothing for UNLIMITED and the like.
std::optional<double> parse_time_left(const std::string& text);

/// When the allocation ends that this process runs in; nothing when there is none, it has no limit,
/// or Slurm does not answer.
std::optional<Deadline> end_of_allocation();

}  // namespace ptxbatch
