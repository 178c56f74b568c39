// Where the program's own files are: knowledge packs and problems in the source tree that it was
// built from, its other programs beside itself. PTXBATCH_HOME names another tree.
#pragma once

#include <string>

#include "common/error.h"
#include "ranks/pipeline.h"

namespace ptxbatch {

/// An error when PTXBATCH_HOME names something else.
Status check_home();

std::string knowledge_pack_folder(const std::string& target);
std::string problems_folder();
/// What belongs to the paper: experiments, and in results/paper its printed values.
std::string paper_experiment(const std::string& name);
std::string paper_values_folder();

/// Keeper, runner and tracer of a target; an error names the program that this build lacks.
Result<TargetPrograms> find_target_programs(const std::string& target);

}  // namespace ptxbatch
