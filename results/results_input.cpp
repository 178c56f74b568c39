#include "results/results_input.h"

#include "common/file_system.h"
#include "results/run_files.h"
#include "results/schema.h"

namespace ptxbatch {
namespace {

constexpr const char* kDamagedHint =
    "The file is damaged, or was not written by ptxbatch. If its journal is still beside it, "
    "running the experiment again rebuilds it.";

Error input_error(const std::string& path, std::string what, std::string hint) {
  return Error{ErrorKind::kInput, std::move(what), std::move(hint), path, 0, 0, {}};
}

Error not_written_yet(const std::string& path) {
  return input_error(path, "this run has not written its results file yet",
                     "It does so every rank.checkpoint_s seconds, and when it stops. 'ptxbatch "
                     "status " +
                         path +
                         "' shows where it stands; when it is not active, 'ptxbatch recover " +
                         path + "' writes the file from its journal.");
}

Error cannot_open(const std::string& path, const std::string& reason) {
  FileSystem& files = real_file_system();
  if (!files.exists(path) && files.exists(journal_path(path))) return not_written_yet(path);
  const auto size = files.size_bytes(path);
  if (!size) {
    Error error = size.error();
    error.kind = ErrorKind::kInput;
    error.hint = "Check the path; a results file is what 'ptxbatch run ... -o NAME.h5' writes.";
    return error;
  }
  if (auto mistaken = mistaken_for_results(path)) return std::move(*mistaken);
  if (*size == 0) return input_error(path, "the file is empty", kDamagedHint);
  const bool is_hdf5 = H5Fis_hdf5(path.c_str()) > 0;
  H5Eclear2(H5E_DEFAULT);
  if (is_hdf5) return input_error(path, "the HDF5 file cannot be opened: " + reason, kDamagedHint);
  return input_error(path, "the file is not HDF5, or cannot be read", kDamagedHint);
}

}  // namespace

Result<ResultsInput> ResultsInput::open(const std::string& path) {
  const QuietHdf5Errors quiet;
  auto file = open_hdf5_file(path);
  if (!file) return fail(cannot_open(path, file.error().what));
  ResultsInput input(std::move(*file), path);
  PTXBATCH_RETURN_IF_ERROR(input.check_schema());
  return input;
}

Error ResultsInput::error(std::string what) const {
  return input_error(path_, std::move(what), kDamagedHint);
}

Status ResultsInput::check_schema() const {
  const auto program = attribute<std::string>("program");
  if (!program || *program != "ptxbatch") {
    return fail(input_error(path_, "the HDF5 file is not a ptxbatch results file",
                            "Name a file that 'ptxbatch run' wrote."));
  }
  const auto version = attribute<std::int32_t>("schema_version");
  if (!version) return fail(version.error());
  if (*version > kSchemaVersion) {
    return fail(input_error(path_,
                            "the results file has schema version " + std::to_string(*version) +
                                "; this program reads up to " + std::to_string(kSchemaVersion),
                            "Use the version of ptxbatch that wrote it, or a newer one."));
  }
  return {};
}

}  // namespace ptxbatch
