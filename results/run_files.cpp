#include "results/run_files.h"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace ptxbatch {
namespace {

constexpr std::string_view kJournal = ".journal";

Error mistake(const std::string& path, std::string what, std::string hint) {
  return Error{ErrorKind::kInput, std::move(what), std::move(hint), path, 0, 0, {}};
}

}  // namespace

std::string journal_path(const std::string& results_path) {
  return results_path + std::string(kJournal);
}

std::string lock_path(const std::string& results_path) {
  return results_path + ".lock";
}

std::optional<Error> mistaken_for_results(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    return mistake(path, "is a folder, not a results file", "Name the results file in it.");
  }
  if (path.ends_with(".toml")) {
    return mistake(path, "is an experiment file, not a results file",
                   "Name what 'ptxbatch run " + path + " -o NAME.h5' wrote: NAME.h5.");
  }
  if (path.ends_with(kJournal)) {
    return mistake(path, "is the journal of a run, not its results file",
                   "Name " + path.substr(0, path.size() - kJournal.size()) +
                       ": its journal is found beside it.");
  }
  return std::nullopt;
}

}  // namespace ptxbatch
