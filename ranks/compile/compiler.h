// Source to shared object, once per distinct source: the binary is kept under the source's hash.
#pragma once

#include <memory>
#include <string>

#include "common/error.h"
#include "ranks/experiment.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Thread-safe. kSystem when the compiler itself cannot be run (that is not the candidate's
  /// fault); a candidate that does not compile is a Compilation.
  virtual Result<Compilation> compile(const std::string& source, const std::string& source_sha256,
                                      double timeout_s) = 0;
  /// "g++ (Debian 12.2.0-14) 12.2.0", for the environment record.
  [[nodiscard]] virtual const std::string& version() const = 0;
};

/// g++ for the host target, nvcc for hopper (sm_90a) and blackwell (sm_100a), each with the paper's
/// flags against the TVM-FFI headers. Binaries live in `cache_folder`. An error names the compiler
/// that is missing and how to get it.
Result<std::unique_ptr<Compiler>> make_compiler(const TargetSpec& target,
                                                const std::string& cache_folder);

}  // namespace ptxbatch
