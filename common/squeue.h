// What Slurm says of a job.
#pragma once

#include <string>

#include "common/error.h"

namespace ptxbatch {

/// What `squeue --format=FORMAT` prints of a job, also of one that has ended: a line for each of
/// its components. Empty: there is no such job, or none that Slurm remembers. An error where Slurm
/// does not answer within half a minute, or nothing that is certain.
Result<std::string> ask_squeue(const std::string& job, const std::string& format);

}  // namespace ptxbatch
