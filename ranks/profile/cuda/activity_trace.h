// What the GPU did during a call, by CUPTI's activity records: every kernel, copy and fill of this
// process, on whatever stream, context or graph and by whichever interface it was launched.
//
// CUPTI calls back without a context of ours and can be set up once in a process, so the records
// are kept in one place of the process; call start_activity_trace() once, before any candidate is
// loaded. Used from one thread.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <string>

namespace ptxbatch {

struct GpuActivity {
  CUresult result = CUDA_SUCCESS;  // of waiting for the device
  double span_s = 0;               // last end minus first start
  std::int64_t records = 0;
  std::int64_t dropped = 0;     // records that CUPTI lost
  std::int64_t unfinished = 0;  // records without times: the work did not end
  // Activity that began before the call or ended after it: how much, and one of them by name.
  std::int64_t outside = 0;
  std::string outside_name;
};

/// Throws CudaFailure when CUPTI cannot be used, for instance under another profiler.
void start_activity_trace();

/// Forgets what the device did until now, for a process that works between the calls that it
/// traces.
void forget_activity();

/// Runs `call`, waits until the current context is idle, and gives what the device did meanwhile.
GpuActivity trace_activity(const std::function<void()>& call);

}  // namespace ptxbatch
