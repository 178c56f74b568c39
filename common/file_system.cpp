#include "common/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "common/unique_fd.h"

namespace ptxbatch {
namespace {

Error path_error(const std::string& action, const std::string& path, int error_number) {
  std::string hint;
  if (error_number == ENOSPC || error_number == EDQUOT) {
    hint = "Free some space (or quota), then run the same command again: it goes on from there.";
  } else if (error_number == EROFS || error_number == EACCES) {
    hint = "Choose an output path that you may write to.";
  }
  Error error = system_error("cannot " + action, error_number, hint);
  error.file = path;
  return error;
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail(path_error("write", path, errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status sync_path(const std::string& path, int open_flags) {
  const UniqueFd fd(::open(path.c_str(), open_flags | O_CLOEXEC));
  if (!fd.valid()) return fail(path_error("open", path, errno));
  if (::fsync(fd.get()) != 0) return fail(path_error("sync", path, errno));
  return {};
}

std::string parent_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class RealAppendFile final : public AppendFile {
 public:
  RealAppendFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  Status append(std::string_view bytes) override { return write_all(fd_.get(), bytes, path_); }
  Status sync() override {
    if (::fsync(fd_.get()) != 0) return fail(path_error("sync", path_, errno));
    return {};
  }
  Status truncate(std::uint64_t size_bytes) override {
    if (::ftruncate(fd_.get(), static_cast<off_t>(size_bytes)) != 0) {
      return fail(path_error("truncate", path_, errno));
    }
    return {};
  }

 private:
  UniqueFd fd_;
  std::string path_;
};

class RealFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) override {
    const bool is_new = !exists(path);
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!fd.valid()) return fail(path_error("open for writing", path, errno));
    if (is_new) {
      if (auto synced = sync_path(parent_folder(path), O_RDONLY | O_DIRECTORY); !synced) {
        return fail(synced.error());
      }
    }
    return std::make_unique<RealAppendFile>(std::move(fd), path);
  }

  Status create_exclusive(const std::string& path, std::string_view contents) override {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd.valid()) {
      Error error = path_error("create", path, errno);
      if (errno == EEXIST) error.kind = ErrorKind::kConflict;
      return fail(std::move(error));
    }
    auto written = write_all(fd.get(), contents, path);
    if (!written) ::unlink(path.c_str());
    return written;
  }

  Result<std::string> read(const std::string& path) override { return read_text(path); }

  Result<std::uint64_t> size_bytes(const std::string& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return fail(path_error("read", path, errno));
    return static_cast<std::uint64_t>(info.st_size);
  }

  bool exists(const std::string& path) override { return ::access(path.c_str(), F_OK) == 0; }

  Status replace(const std::string& from, const std::string& to) override {
    if (auto synced = sync_path(from, O_RDONLY); !synced) return synced;
    if (::rename(from.c_str(), to.c_str()) != 0) return fail(path_error("rename", to, errno));
    return sync_path(parent_folder(to), O_RDONLY | O_DIRECTORY);
  }

  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0) return fail(path_error("remove", path, errno));
    return {};
  }
};

}  // namespace

FileSystem& real_file_system() {
  static RealFileSystem file_system;
  return file_system;
}

Result<std::string> read_text(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return fail(path_error("read", path, errno));
  std::string text;
  std::string buffer(1U << 16U, '\0');
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(path_error("read", path, errno));
    if (count == 0) return text;
    text.append(buffer, 0, static_cast<std::size_t>(count));
  }
}

Status write_text(const std::string& path, std::string_view text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd.valid()) return fail(path_error("open for writing", path, errno));
  return write_all(fd.get(), text, path);
}

}  // namespace ptxbatch
