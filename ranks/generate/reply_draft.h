// A model's reply while it comes in: what the wire formats fill, chunk by chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/records.h"

namespace ptxbatch {

struct TokenUsage {
  std::int64_t prompt = 0;      // cached ones included
  std::int64_t completion = 0;  // reasoning included
  std::int64_t reasoning = 0;   // of those; 0 also where it is not counted by itself
  std::int64_t cached = 0;
  bool known = false;
};

/// What a provider said went wrong. `status` is an HTTP status, or the one that its words stand
/// for; 0 when neither is known.
struct ProviderError {
  int status = 0;
  std::string code;  // the provider's own tag: "context_length_exceeded", "overloaded_error"
  std::string message;
};

struct ReplyDraft {
  std::string text;
  std::string reasoning;
  std::optional<ReplyEnd> end;  // known once the provider has said why it stopped
  std::string model;
  std::string response_id;
  std::string fingerprint;  // of the serving system, where the provider gives one
  TokenUsage usage;
  std::optional<double> cost_usd;
  std::optional<ProviderError> error;
  bool recognised = false;  // something of this API has come
};

/// Moves what stands in <think> … </think> at the beginning of the text to the reasoning. A server
/// whose template opens the block itself sends the closing tag alone; a truncated reply the opening
/// tag alone.
void split_think_block(ReplyDraft& draft);

}  // namespace ptxbatch
