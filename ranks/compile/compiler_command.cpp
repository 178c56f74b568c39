#include "ranks/compile/compiler_command.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "ranks/compile/tools.h"

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;

constexpr double kVersionTimeoutS = 60;  // a toolkit on a slow file system may take long to start
constexpr std::uint64_t kGibibyte = 1ULL << 30U;

// The first line of `program --version` that begins with `marker` (any line when it is empty).
Result<std::string> version_line(const std::string& program, std::string_view marker) {
  ProcessSpec spec;
  spec.argv = {program, "--version"};
  spec.environment = tool_environment();
  auto result = run_process(spec, kVersionTimeoutS);
  if (!result) return fail(result.error());
  std::string_view rest = result->output;
  while (result->end.ok() && !rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(marker)) return std::string(line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return fail(
      ErrorKind::kSystem, program + " --version gives no version",
      "It does not seem to be a working compiler; correct PATH or the target's `compiler`.");
}

// g++ names system headers by their canonical path when that is the shorter one.
std::vector<std::string> both_names(const std::string& folder) {
  std::error_code error;
  const std::string canonical = fs::canonical(folder, error).string();
  if (error || canonical == folder) return {folder};
  return {folder, canonical};
}

void erase_all(std::string& text, const std::string& part) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, begin)) {
    result.append(text, begin, at - begin);
    begin = at + part.size();
  }
  text = result.append(text, begin);
}

Result<CompilerCommand> host_command(const TargetSpec& target, const TvmFfi& tvm_ffi) {
  auto program = find_host_compiler(target.compiler);
  if (!program) return fail(program.error());
  auto version = version_line(*program, "");
  if (!version) return fail(version.error());
  CompilerCommand command;
  command.program = std::move(*program);
  command.version = std::move(*version);
  command.source_name = "kernel.cpp";
  command.compile_flags = {"-std=c++17",
                           "-O3",
                           "-march=x86-64-v3",
                           "-shared",
                           "-fPIC",
                           "-fvisibility=hidden",
                           "-fdiagnostics-color=never",
                           "-isystem",
                           tvm_ffi.include_folder};
  // -z defs: a function that is declared and nowhere defined is a compilation error with its name,
  // not a shared object that does not load.
  command.link_flags = {"-Wl,-z,defs", "-L" + tvm_ffi.library_folder, "-ltvm_ffi"};
  command.header_folders = both_names(tvm_ffi.include_folder);
  command.limits.address_space_bytes = 4 * kGibibyte;
  command.limits.file_size_bytes = 1 * kGibibyte;
  command.precompiles_headers = true;
  return command;
}

struct CudaArchitecture {
  const char* name;    // "90a"
  double oldest_nvcc;  // the first release that knows it
};
constexpr CudaArchitecture kHopper{"90a", 12.0};
constexpr CudaArchitecture kBlackwell{"100a", 12.8};

// With an nvcc that is too old every candidate would seem to be at fault.
Status check_nvcc(const std::string& program, const std::string& version_line,
                  const CudaArchitecture& architecture) {
  constexpr std::string_view kMark = "release ";
  const std::size_t mark = version_line.find(kMark);
  const double release =
      mark == std::string::npos ? 0 : std::strtod(&version_line[mark + kMark.size()], nullptr);
  if (release >= architecture.oldest_nvcc) return {};
  return fail(ErrorKind::kSystem,
              program + " does not know sm_" + architecture.name + ": " + version_line,
              "CUDA 13 is what this program is made for; set CUDA_HOME to it.");
}

// "Cuda compilation tools, release 13.0, V13.0.88" -> "nvcc 13.0.88"
std::string nvcc_version(const std::string& line) {
  const std::size_t mark = line.rfind('V');
  return mark == std::string::npos ? "nvcc, " + line : "nvcc " + line.substr(mark + 1);
}

Result<CompilerCommand> cuda_command(const TargetSpec& target, const CudaArchitecture& architecture,
                                     const TvmFfi& tvm_ffi) {
  auto program = find_nvcc(target.compiler);
  if (!program) return fail(program.error());
  auto version = version_line(*program, "Cuda compilation tools");
  if (!version) return fail(version.error());
  if (auto known = check_nvcc(*program, *version, architecture); !known) {
    return fail(known.error());
  }
  const std::string name = architecture.name;
  CompilerCommand command;
  command.program = std::move(*program);
  command.version = nvcc_version(*version);
  command.source_name = "kernel.cu";
  command.compile_flags = {"-shared",
                           "-O3",
                           "-gencode",
                           "arch=compute_" + name + ",code=sm_" + name,
                           "-lineinfo",
                           "--ptxas-options=-v",
                           "-std=c++17",
                           "-Xcompiler",
                           "-fPIC,-fvisibility=hidden",
                           "-isystem",
                           tvm_ffi.include_folder};
  for (const std::string& folder : cuda_stub_folders(command.program)) {
    command.link_flags.push_back("-L" + folder);
  }
  command.link_flags.insert(command.link_flags.end(),
                            {"-lcuda", "-L" + tvm_ffi.library_folder, "-ltvm_ffi"});
  command.header_folders = both_names(tvm_ffi.include_folder);
  command.limits.address_space_bytes = 64 * kGibibyte;
  command.limits.file_size_bytes = 2 * kGibibyte;
  return command;
}

}  // namespace

Result<CompilerCommand> make_compiler_command(const TargetSpec& target) {
  auto tvm_ffi = find_tvm_ffi();
  if (!tvm_ffi) return fail(tvm_ffi.error());
  if (target.name == "host") return host_command(target, *tvm_ffi);
  if (target.name == "hopper") return cuda_command(target, kHopper, *tvm_ffi);
  if (target.name == "blackwell") return cuda_command(target, kBlackwell, *tvm_ffi);
  return fail(ErrorKind::kInput, "there is no compiler for the target '" + target.name + "'",
              "Targets are: host, hopper, blackwell.");
}

std::string without_folders(std::string output, const CompilerCommand& command,
                            const std::string& scratch) {
  erase_all(output, scratch + "/");
  for (const std::string& folder : command.header_folders) erase_all(output, folder + "/");
  return output;
}

std::vector<std::string> compiler_environment(const std::string& scratch) {
  std::vector<std::string> environment = tool_environment();
  std::erase_if(environment, [](const std::string& entry) {
    return entry.starts_with("TMPDIR=") || entry.starts_with("LC_") || entry.starts_with("LANG");
  });
  environment.push_back("TMPDIR=" + scratch);
  environment.emplace_back("LC_ALL=C.UTF-8");
  return environment;
}

}  // namespace ptxbatch
