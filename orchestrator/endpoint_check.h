// Whether a model's endpoint works: what `ptxbatch doctor` looks at before a run costs anything.
#pragma once

#include <string>
#include <vector>

#include "ranks/experiment.h"
#include "ranks/generate/api_keys.h"
#include "ranks/generate/http_loop.h"

namespace ptxbatch {

struct EndpointFinding {
  std::string what;  // "key", "address", "model", "reply", "stream"
  bool good = false;
  std::string text;
  std::string hint;  // when it is not good
};

/// Asks the endpoint for its models and for two replies of a few tokens, one of them streamed.
/// Stops at the first finding that makes the next ones meaningless.
std::vector<EndpointFinding> check_endpoint(HttpLoop& loop, const ModelSpec& model,
                                            const ApiKeys& keys);

}  // namespace ptxbatch
