#include "orchestrator/output_file.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "common/file_system.h"
#include "results/journal_frames.h"

namespace ptxbatch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";

tl::unexpected<Error> refuse(const std::string& path, std::string what, std::string hint) {
  return fail(Error{ErrorKind::kUsage, std::move(what), std::move(hint), path, 0, 0, {}});
}

std::string first_bytes(const std::string& path) {
  std::string bytes(kJournalHeaderBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;  // of one that is not there only the name can be compared
  return fs::equivalent(a, b, none) ||
         fs::absolute(a, none).lexically_normal() == fs::absolute(b, none).lexically_normal();
}

// A terminal or a pipe is written to, never replaced.
bool is_stream(const std::string& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status);
}

// What a link points to is replaced, and the link stays.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  const fs::path target = fs::canonical(path, failed);
  return failed ? path : target.string();
}

}  // namespace

Status check_output(const std::string& path, const std::vector<std::string>& inputs) {
  constexpr const char* kHint = "Give the name of a file after -o.";
  if (path.empty()) {
    return fail(ErrorKind::kUsage, "the output has no name", kHint);
  }
  if (path.ends_with('/')) return refuse(path, "is the name of a folder, not of a file", kHint);
  std::error_code none;
  if (fs::is_directory(path, none)) return refuse(path, "is a folder", kHint);
  for (const std::string& input : inputs) {
    if (same_file(path, input)) {
      return refuse(path, "is read by this command and cannot be its output as well",
                    "Give another name after -o.");
    }
  }
  return {};
}

Status check_text_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (auto named = check_output(path, inputs); !named) return named;
  if (is_stream(path)) return {};
  const std::string bytes = first_bytes(path);
  if (bytes.starts_with(kHdf5Signature)) {
    return refuse(path, "is an HDF5 file, which this command does not replace",
                  "Give another name after -o, or remove the file first.");
  }
  if (parse_journal_header(bytes)) {
    return refuse(path, "is the journal of a run, which this command does not replace",
                  "Give another name after -o.");
  }
  return {};
}

Status make_folder_for(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) return {};
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!failed) return {};
  Error error = system_error("the folder cannot be made", failed.value(),
                             "Choose an output path that you may write to.");
  error.file = folder.string();
  return fail(std::move(error));
}

Status write_output(const std::string& path, std::string_view text) {
  if (auto made = make_folder_for(path); !made) return made;
  if (is_stream(path)) return write_text(path, text);
  const std::string file = behind_links(path);
  const std::string draft = file + ".new";
  Status written = write_text(draft, text);
  if (written) written = real_file_system().replace(draft, file);
  if (!written) {
    std::remove(draft.c_str());
    written.error().file = path;
  }
  return written;
}

}  // namespace ptxbatch
