// How a target's compiler is called: program, flags and version. The flags are the paper's, and
// part of the compile cache's key.
#pragma once

#include <string>
#include <vector>

#include "common/error.h"
#include "common/process.h"
#include "ranks/experiment.h"

namespace ptxbatch {

struct CompilerCommand {
  std::string program;
  std::string version;                      // "g++ (Debian 12.2.0-14) 12.2.0", "nvcc 13.0.88"
  std::string source_name;                  // "kernel.cpp": what messages call the candidate
  std::vector<std::string> compile_flags;   // before the source
  std::vector<std::string> link_flags;      // after it
  std::vector<std::string> header_folders;  // taken out of messages
  ResourceLimits limits;
  bool precompiles_headers = false;  // g++ can: precompiled_header.h
};

/// kInput for a target that has no compiler, kSystem when a program or TVM-FFI is missing.
Result<CompilerCommand> make_compiler_command(const TargetSpec& target);

/// The compiler's output without the folders where the candidate and the headers are: they are no
/// business of a model's, and differ from run to run.
std::string without_folders(std::string output, const CompilerCommand& command,
                            const std::string& scratch);

/// The environment of a compiler: the tools' with temporary files in `scratch` and English
/// messages.
std::vector<std::string> compiler_environment(const std::string& scratch);

}  // namespace ptxbatch
