// A rank's life outside the pipeline: hello, welcome, scratch folder, work, goodbye, farewell. The
// same for MPI ranks and for ranks that are threads of the coordinator's process.
//
// A rank that the coordinator has given up, since nothing came from it for too long, drops its work
// and begins with hello again. A rank whose coordinator is silent ends its process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ranks/generate/api_keys.h"

namespace ptxbatch {

/// How a rank reaches the coordinator. `receive` waits; nothing means that the link was closed,
/// which `close` does from any thread.
struct RankEnd {
  int rank = 0;
  int ranks_on_this_host = 1;  // they share its cores
  std::function<void(std::string)> send;
  std::function<std::optional<std::string>()> receive;
  std::function<void()> close;
  /// The coordinator is gone: must end the process and its children. From a thread of the rank's.
  std::function<void()> coordinator_lost;
  /// Keys of model endpoints, where the process has taken them from its environment already.
  std::shared_ptr<const ApiKeys> keys = nullptr;
};

/// Works until told that there is no more. False when turns were abandoned and the process must be
/// left without cleaning up (see Pipeline::run).
bool run_rank(const RankEnd& end);

}  // namespace ptxbatch
