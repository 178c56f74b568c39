#include "ranks/compile/precompiled_header.h"

#include <filesystem>

#include "common/file_system.h"
#include "common/hash.h"
#include "common/log.h"

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;

constexpr double kPrecompileTimeoutS = 300;

std::string folder_name(const CompilerCommand& command) {
  std::string all = command.program + "\n" + command.version;
  for (const std::string& flag : command.compile_flags) all += "\n" + flag;
  return "headers-" + sha256_hex(all).substr(0, 16);
}

bool precompile(const CompilerCommand& command, const ScratchFolder& scratch,
                const std::string& precompiled) {
  const std::string header = scratch.path() + "/precompiled.h";
  if (!write_text(header, std::string("#include <") + kPrecompiledHeader + ">\n")) return false;
  ProcessSpec spec;
  spec.argv = {command.program};
  spec.argv.insert(spec.argv.end(), command.compile_flags.begin(), command.compile_flags.end());
  spec.argv.insert(spec.argv.end(), {"-x", "c++-header", header, "-o", precompiled});
  spec.environment = compiler_environment(scratch.path());
  spec.limits = command.limits;
  const auto result = run_process(spec, kPrecompileTimeoutS);
  return result && result->end.ok();
}

}  // namespace

std::string precompile_headers(const CompilerCommand& command, const CompileCache& cache) {
  const std::string folder = cache.folder() + "/" + folder_name(command);
  const std::string file = folder + "/" + kPrecompiledHeader + ".gch";
  std::error_code error;
  if (fs::exists(file, error)) return folder;
  auto scratch = cache.make_scratch();
  const std::string fresh = scratch ? scratch->path() + "/fresh.gch" : "";
  fs::create_directories(fs::path(file).parent_path(), error);
  if (!scratch || error || !precompile(command, *scratch, fresh)) {
    spdlog::info("the TVM-FFI headers could not be precompiled; candidates compile without");
    return {};
  }
  fs::rename(fresh, file, error);
  return error ? std::string{} : folder;
}

}  // namespace ptxbatch
