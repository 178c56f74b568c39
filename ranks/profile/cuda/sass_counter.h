// How often each instruction of one kernel function was executed, counted inside this process by
// CUPTI's SASS metrics.
//
// CUPTI collects one function a process: the first that is launched after collection is enabled.
// So the launches are watched, and collection is enabled on the way into the first launch of the
// wanted function; all its launches from then on add up, other functions run as they are. Functions
// in a graph are seen when their launch is captured; collection then starts with the graph's launch
// and holds if that function is the first to run.
//
// While it is patched a kernel can be a hundred times slower: never time in such a process.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ranks/profile/messages.h"

namespace ptxbatch {

class SassCounter {
 public:
  /// Prepares CUPTI in the current context's process. Throws CudaFailure.
  SassCounter();
  SassCounter(const SassCounter&) = delete;
  SassCounter& operator=(const SassCounter&) = delete;
  ~SassCounter();

  /// The function to be counted, by its symbol's name. Once a process.
  void watch(std::string function) { function_ = std::move(function); }

  /// Runs `call`, waits for the device and keeps what was counted. The result of waiting.
  CUresult count(const std::function<void()>& call);

  [[nodiscard]] FunctionCounts take_counts() { return std::move(counts_); }

 private:
  static void CUPTIAPI on_driver_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                      const void* data);
  void on_launch(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void start_collecting();
  void read_counts();

  CUcontext context_ = nullptr;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::uint64_t warps_metric_ = 0;
  std::uint64_t threads_metric_ = 0;
  std::string function_;
  bool captured_ = false;  // its launch went into a graph
  bool collecting_ = false;
  std::string failure_;  // of ours, in a callback that cannot throw
  FunctionCounts counts_;
};

}  // namespace ptxbatch
