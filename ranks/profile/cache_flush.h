// Taking memory out of the caches of all cores of the host.
#pragma once

#include <cstddef>
#include <span>

namespace ptxbatch {

/// Writes back and drops every cache line of `memory`, in whatever process it was cached.
void flush_from_caches(std::span<const std::byte> memory);

}  // namespace ptxbatch
