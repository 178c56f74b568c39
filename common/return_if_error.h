// Passing an error on to the caller in one line.
#pragma once

#include "common/error.h"

/// Returns the error of a Status or Result from the enclosing function.
#define PTXBATCH_RETURN_IF_ERROR(expression)                    \
  if (auto checked_result = (expression); !checked_result) {    \
    return ::ptxbatch::fail(std::move(checked_result).error()); \
  }                                                             \
  static_assert(true, "wants a semicolon")
