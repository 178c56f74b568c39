#include "ranks/compile/tools.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "common/process.h"

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Compilers run in a scratch folder: what was found from here must be found from there.
std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::absolute(path, error);
  return error ? path : result.string();
}

// A CUDA program: where CUDA_HOME says, else in PATH, else where toolkits and our wheels are.
Result<std::string> find_cuda_program(const std::string& name) {
  const std::string program = "/bin/" + name;
  if (const auto home = environment_variable("CUDA_HOME")) {
    const std::string path = *home + program;
    if (::access(path.c_str(), X_OK) == 0) return absolute(path);
  }
  if (auto in_path = find_program(name)) return absolute(*in_path);
  for (const char* folder : {"/usr/local/cuda", PTXBATCH_CUDA_WHEELS_DEFAULT}) {
    const std::string path = folder + program;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return fail(ErrorKind::kSystem,
              "'" + name + "' is not in CUDA_HOME, PATH, /usr/local/cuda or the unpacked wheels",
              "Set CUDA_HOME to a CUDA 13 toolkit, or run: bash install_dependencies.sh");
}

Result<std::string> find_named_compiler(const std::string& program) {
  auto path = find_program(program);
  if (path) return absolute(*path);
  return fail(ErrorKind::kSystem,
              "the compiler '" + program + "' cannot be run: " + path.error().what,
              "Install it, or correct the target's `compiler` in the experiment file.");
}

}  // namespace

Result<TvmFfi> find_tvm_ffi() {
  const std::string folder =
      absolute(environment_variable("PTXBATCH_TVM_FFI").value_or(PTXBATCH_TVM_FFI_DEFAULT));
  TvmFfi found{folder + "/include", folder + "/lib"};
  for (const std::string& file :
       {found.include_folder + "/tvm/ffi/tvm_ffi.h", found.library_folder + "/libtvm_ffi.so"}) {
    if (exists(file)) continue;
    return fail(ErrorKind::kSystem, "TVM-FFI is incomplete: " + file + " is missing",
                "Run: bash install_dependencies.sh, or set PTXBATCH_TVM_FFI to the tvm_ffi folder "
                "of an installed apache-tvm-ffi.");
  }
  return found;
}

Result<std::string> find_host_compiler(const std::string& program) {
  if (!program.empty()) return find_named_compiler(program);
  auto path = find_program("g++");
  if (path) return absolute(*path);
  path.error().hint = "Install it: apt-get install g++";
  return path;
}

Result<std::string> find_nvcc(const std::string& program) {
  return program.empty() ? find_cuda_program("nvcc") : find_named_compiler(program);
}

std::vector<std::string> cuda_stub_folders(const std::string& nvcc) {
  std::error_code ignored;
  const fs::path toolkit = fs::canonical(nvcc, ignored).parent_path().parent_path();
  std::vector<std::string> folders;
  for (const char* folder : {"lib64/stubs", "lib/stubs", "targets/x86_64-linux/lib/stubs"}) {
    const std::string path = (toolkit / folder).string();
    if (exists(path + "/libcuda.so")) folders.push_back(path);
  }
  return folders;
}

Result<std::string> find_objdump() {
  auto path = find_program("objdump");
  if (!path) path.error().hint = "Install it: apt-get install binutils";
  return path;
}

Result<std::string> find_cuobjdump() {
  return find_cuda_program("cuobjdump");
}

Result<std::string> find_ncu() {
  return find_cuda_program("ncu");
}

Result<std::string> find_compute_sanitizer() {
  auto program = find_cuda_program("compute-sanitizer");
  if (!program) {
    program.error().hint +=
        ". To do without the sanitizer, set sanitizers = [] in the experiment's [protocol].";
  }
  return program;
}

}  // namespace ptxbatch
