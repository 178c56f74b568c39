#include "tests/support/failing_file_system.h"

#include <algorithm>
#include <cerrno>

namespace ptxbatch {
namespace {

class FailingAppendFile final : public AppendFile {
 public:
  FailingAppendFile(std::unique_ptr<AppendFile> file, FailingFileSystem& faults)
      : file_(std::move(file)), faults_(faults) {}

  Status append(std::string_view bytes) override {
    auto& room = faults_.append_room_bytes;
    if (!room) return file_->append(bytes);
    const auto fits = static_cast<std::size_t>(std::min<std::uint64_t>(*room, bytes.size()));
    *room -= fits;
    Status written = file_->append(bytes.substr(0, fits));
    if (written && fits < bytes.size()) written = fail(system_error("cannot write", ENOSPC));
    return written;
  }
  Status sync() override {
    if (faults_.fail_sync) return fail(system_error("cannot sync", EIO));
    return file_->sync();
  }
  Status truncate(std::uint64_t size_bytes) override { return file_->truncate(size_bytes); }

 private:
  std::unique_ptr<AppendFile> file_;
  FailingFileSystem& faults_;
};

}  // namespace

Result<std::unique_ptr<AppendFile>> FailingFileSystem::open_append(const std::string& path) {
  auto file = real_.open_append(path);
  if (!file) return fail(file.error());
  return std::make_unique<FailingAppendFile>(std::move(*file), *this);
}

Status FailingFileSystem::create_exclusive(const std::string& path, std::string_view contents) {
  if (!fail_create) return real_.create_exclusive(path, contents);
  if (auto created = real_.create_exclusive(path, ""); !created) return created;
  return fail(system_error("cannot write", ENOSPC));
}

Result<std::string> FailingFileSystem::read(const std::string& path) {
  return real_.read(path);
}

Result<std::uint64_t> FailingFileSystem::size_bytes(const std::string& path) {
  return real_.size_bytes(path);
}

bool FailingFileSystem::exists(const std::string& path) {
  return real_.exists(path);
}

Status FailingFileSystem::replace(const std::string& from, const std::string& to) {
  if (fail_replace) return fail(system_error("cannot rename", EIO));
  return real_.replace(from, to);
}

Status FailingFileSystem::remove(const std::string& path) {
  return real_.remove(path);
}

}  // namespace ptxbatch
