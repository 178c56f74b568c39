#include "ranks/compile/compile_cache.h"

#include <filesystem>
#include <utility>

#include "common/file_system.h"

namespace ptxbatch {

namespace fs = std::filesystem;

Result<CompileCache> CompileCache::open(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return fail(
        system_error("cannot make the folder for compiled candidates " + folder, error.value()));
  }
  std::string absolute = fs::absolute(folder, error).string();
  return CompileCache(error ? std::string(folder) : std::move(absolute));
}

std::optional<CompileCache::Entry> CompileCache::find(const std::string& key) const {
  const std::string stem = folder_ + "/" + key;
  // The log goes in first, so that a binary never stands without it.
  if (::access((stem + ".so").c_str(), R_OK) != 0) return std::nullopt;
  auto output = read_text(stem + ".log");
  if (!output) return std::nullopt;
  return Entry{stem + ".so", std::move(*output)};
}

Result<CompileCache::Entry> CompileCache::insert(const std::string& key, const std::string& binary,
                                                 std::string output) const {
  const std::string stem = folder_ + "/" + key;
  const std::string log = binary + ".log";
  FileSystem& files = real_file_system();
  if (auto written = write_text(log, output); !written) return fail(written.error());
  if (auto moved = files.replace(log, stem + ".log"); !moved) return fail(moved.error());
  if (auto moved = files.replace(binary, stem + ".so"); !moved) return fail(moved.error());
  return Entry{stem + ".so", std::move(output)};
}

}  // namespace ptxbatch
