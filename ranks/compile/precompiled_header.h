// <tvm/ffi/tvm_ffi.h> precompiled for g++, since parsing it takes most of a small candidate's
// compile time. g++ uses it only where a candidate's first #include is that header and all macros
// and flags agree, and otherwise reads the header itself: a candidate sees the same in both cases.
#pragma once

#include <string>

#include "ranks/compile/compile_cache.h"
#include "ranks/compile/compiler_command.h"

namespace ptxbatch {

inline constexpr const char* kPrecompiledHeader = "tvm/ffi/tvm_ffi.h";

/// A folder to be searched before TVM-FFI's own; made once in `cache` and kept there. Empty when it
/// cannot be made: candidates then compile without it, slower.
std::string precompile_headers(const CompilerCommand& command, const CompileCache& cache);

}  // namespace ptxbatch
