#include "ranks/compile/precompiled_header.h"

#include <filesystem>

#include "common/hash.h"
#include "common/log.h"

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;

constexpr double kPrecompileTimeoutS = 300;

// A folder for each compiler and set of flags, as the compiler wants them to agree.
std::string folder_of(const CompilerCommand& command, const CompileCache& cache) {
  std::string all = command.program + "\n" + command.version;
  for (const std::string& flag : command.compile_flags) all += "\n" + flag;
  return cache.folder() + "/headers-" + sha256_hex(all).substr(0, 16);
}

std::string file_in(const std::string& folder) {
  return folder + "/" + kPrecompiledHeader + ".gch";
}

Status run_compiler(const CompilerCommand& command, const std::string& scratch,
                    const std::string& precompiled) {
  ProcessSpec spec;
  spec.argv = {command.program};
  spec.argv.insert(spec.argv.end(), command.compile_flags.begin(), command.compile_flags.end());
  // The header itself, not a file that includes it: messages then name the same files as without.
  const std::string header = command.header_folders.front() + "/" + kPrecompiledHeader;
  spec.argv.insert(spec.argv.end(), {"-x", "c++-header", header, "-o", precompiled});
  spec.environment = compiler_environment(scratch);
  spec.working_directory = scratch;
  spec.limits = command.limits;
  const auto result = run_process(spec, kPrecompileTimeoutS);
  if (!result) return fail(result.error());
  if (result->end.ok()) return {};
  return fail(ErrorKind::kSystem, command.program + " failed: " + result->output);
}

Status precompile(const CompilerCommand& command, const CompileCache& cache) {
  auto scratch = cache.make_scratch();
  if (!scratch) return fail(scratch.error());
  const std::string fresh = scratch->path() + "/fresh.gch";
  if (auto made = run_compiler(command, scratch->path(), fresh); !made) return made;
  const std::string file = file_in(folder_of(command, cache));
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  // Renamed when it is complete: other processes may be looking for it.
  if (!error) fs::rename(fresh, file, error);
  if (error) return fail(system_error("cannot write " + file, error.value()));
  return {};
}

}  // namespace

std::string precompiled_headers(const CompilerCommand& command, const CompileCache& cache) {
  std::string folder = folder_of(command, cache);
  std::error_code ignored;
  return fs::exists(file_in(folder), ignored) ? folder : std::string{};
}

void precompile_headers(const CompilerCommand& command, const CompileCache& cache) {
  const Status made = precompile(command, cache);
  if (!made)
    spdlog::info("candidates compile without precompiled headers: {}", describe(made.error()));
}

}  // namespace ptxbatch
