// What the host target's keeper computes and times against: OpenBLAS's sgemm on one thread, and a
// vectorised softmax between two of them for attention. Only the library ptxbatch_host_references
// links OpenBLAS; no candidate runs in a process that has it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "ranks/problems/problem.h"

namespace ptxbatch {

/// A reference prepared for one problem: buffers are made once, so that run() only computes.
class HostReference {
 public:
  virtual ~HostReference() = default;
  /// `inputs` and `outputs` point to contiguous tensors in the problem's order.
  virtual void run(const std::vector<const float*>& inputs, const std::vector<float*>& outputs) = 0;
};

/// op_types gemm, mha_fwd and mha_fwd_causal in float32; anything else is an error (kInput). Makes
/// OpenBLAS use one thread in this process. `problem` need not outlive the reference.
Result<std::unique_ptr<HostReference>> make_host_reference(const Problem& problem);

/// "OpenBLAS 0.3.21 (SkylakeX)": for the environment record.
std::string host_reference_library();

}  // namespace ptxbatch
