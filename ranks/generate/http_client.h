// A model behind HTTP: permits, attempts with backoff, streams, and replies made of what came.
#pragma once

#include <memory>

#include "common/error.h"
#include "ranks/generate/model_client.h"

namespace ptxbatch {

std::unique_ptr<ModelClient> make_http_client(const ModelSpec& model, const ClientContext& context);

/// The cost of a reply: the provider's own figure, else from the prices; 0 when neither is known.
double cost_usd(const ModelPrices& prices, const ReplyRecord& reply);

}  // namespace ptxbatch
