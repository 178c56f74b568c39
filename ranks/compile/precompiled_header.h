// <tvm/ffi/tvm_ffi.h> precompiled for g++, since parsing it takes half of a small candidate's
// compile time. g++ uses it only where a candidate's first #include is that header and all macros
// and flags agree, and otherwise reads the header itself: a candidate gets the same binary in both
// cases.
#pragma once

#include <string>

#include "ranks/compile/compile_cache.h"
#include "ranks/compile/compiler_command.h"

namespace ptxbatch {

inline constexpr const char* kPrecompiledHeader = "tvm/ffi/tvm_ffi.h";

/// The folder with the precompiled header, to be searched before TVM-FFI's own; empty when there is
/// none yet in `cache`.
std::string precompiled_headers(const CompilerCommand& command, const CompileCache& cache);

/// Makes it. A failure is logged and does no harm: candidates then compile without it, slower.
void precompile_headers(const CompilerCommand& command, const CompileCache& cache);

}  // namespace ptxbatch
