// Why one attempt at a request failed, and whether another makes sense: from an HTTP status, from
// what the provider says, or from how the transfer ended.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ranks/experiment.h"
#include "ranks/generate/http_loop.h"
#include "ranks/generate/model_client.h"
#include "ranks/generate/reply_draft.h"

namespace ptxbatch {

struct AttemptFault {
  ModelFailure::Kind kind = ModelFailure::Kind::kTransport;
  std::string cause;
  std::string what;
  std::string hint;
  bool retry = false;
  bool context_exhausted = false;  // the conversation does not fit into the model's context
  std::optional<double> retry_after_s;
};

/// Of a reply with an error: its HTTP status, or the one that an error inside a 200 stands for.
AttemptFault fault_of_status(int status, const ProviderError& error, const EndpointSpec& endpoint);

/// Of a transfer that brought no whole reply.
AttemptFault fault_of_transfer(const HttpEnd& end, const EndpointSpec& endpoint);

/// Seconds from a Retry-After header: a number of seconds or an HTTP date.
std::optional<double> parse_retry_after(std::string_view value, double unix_now_s);

/// The wait before attempt `attempt` (1 is the first retry): full jitter, a random share `random`
/// (0 to 1) of a delay that doubles; never less than what the server asked for.
double backoff_s(const RetrySettings& settings, int attempt, std::optional<double> retry_after_s,
                 double random);

/// The first 200 bytes, for an error message.
std::string first_bytes(std::string_view text);

}  // namespace ptxbatch
