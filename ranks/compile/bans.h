// What a candidate may not use, looked for in its source with comments and strings removed.
#pragma once

#include <optional>
#include <string_view>

#include "ranks/turn_facts.h"

namespace ptxbatch {

/// `target` is a target's name; the host target bans BLAS libraries where the GPU targets ban
/// cuBLAS and cuDNN.
std::optional<BannedUse> find_banned_use(std::string_view source, std::string_view target);

}  // namespace ptxbatch
