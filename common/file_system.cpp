#include "common/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
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

// On NFS a full disk or quota shows only when the data is sent to the server.
Status write_and_sync(int fd, std::string_view contents, const std::string& path) {
  if (auto written = write_all(fd, contents, path); !written) return written;
  if (::fsync(fd) != 0) return fail(path_error("write", path, errno));
  return {};
}

Error creation_error(const std::string& path, int error_number) {
  Error error = path_error("create", path, error_number);
  if (error_number == EEXIST) error.kind = ErrorKind::kConflict;
  return error;
}

// Where there are no hard links.
Status create_in_place(const std::string& path, std::string_view contents) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.valid()) return fail(creation_error(path, errno));
  auto written = write_and_sync(fd.get(), contents, path);
  if (!written) ::unlink(path.c_str());
  return written;
}

// A link's answer may be lost on its way from an NFS server, and the repeated call then finds its
// own work done and fails; the count of links tells.
Status link_to(int fd, const std::string& draft, const std::string& path,
               std::string_view contents) {
  ::fchmod(fd, 0644);
  if (::link(draft.c_str(), path.c_str()) == 0) return {};
  const int error_number = errno;
  struct stat info {};
  if (::stat(draft.c_str(), &info) == 0 && info.st_nlink == 2) return {};
  const bool has_no_links = error_number == EPERM || error_number == EOPNOTSUPP ||
                            error_number == ENOSYS || error_number == EMLINK;
  if (has_no_links) return create_in_place(path, contents);
  return fail(creation_error(path, error_number));
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

  // Written under another name first and then linked: nobody ever sees the file without its
  // contents, and link is atomic on NFS as well.
  Status create_exclusive(const std::string& path, std::string_view contents) override {
    std::string draft = path + ".XXXXXX";
    const UniqueFd fd(::mkostemp(draft.data(), O_CLOEXEC));
    if (!fd.valid()) return fail(path_error("create", path, errno));
    auto created = write_and_sync(fd.get(), contents, path);
    if (created) created = link_to(fd.get(), draft, path, contents);
    ::unlink(draft.c_str());
    return created;
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
