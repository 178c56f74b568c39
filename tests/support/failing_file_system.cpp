#include "tests/support/failing_file_system.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

namespace ptxbatch {

using Effect = FailingFileSystem::Fault::Effect;

namespace {

Status failure(const std::string& call, int error_number) {
  return fail(system_error("cannot " + call, error_number));
}

}  // namespace

class FailingAppendFile final : public AppendFile {
 public:
  FailingAppendFile(std::unique_ptr<AppendFile> file, FailingFileSystem& faults, std::string path)
      : file_(std::move(file)), faults_(faults), path_(std::move(path)) {}

  Status append(std::string_view bytes) override {
    if (const auto fault = faults_.next_call()) {
      if (fault->effect == Effect::kHalf) bytes = bytes.substr(0, bytes.size() / 2);
      if (fault->effect != Effect::kNone) static_cast<void>(file_->append(bytes));
      return failure("write", fault->error_number);
    }
    auto& room = faults_.append_room_bytes;
    if (!room) return file_->append(bytes);
    const auto fits = static_cast<std::size_t>(std::min<std::uint64_t>(*room, bytes.size()));
    *room -= fits;
    Status written = file_->append(bytes.substr(0, fits));
    if (written && fits < bytes.size()) written = failure("write", ENOSPC);
    return written;
  }

  Status sync() override {
    if (const auto during = std::exchange(faults_.during_next_sync, nullptr)) during();
    if (faults_.fail_sync) return failure("sync", EIO);
    if (const auto fault = faults_.next_call()) {
      if (fault->effect == Effect::kWhole) static_cast<void>(sync_really());
      return failure("sync", fault->error_number);
    }
    return sync_really();
  }

  Status truncate(std::uint64_t size_bytes) override {
    if (const auto fault = faults_.next_call()) {
      if (fault->effect == Effect::kWhole) static_cast<void>(file_->truncate(size_bytes));
      return failure("truncate", fault->error_number);
    }
    return file_->truncate(size_bytes);
  }

 private:
  Status sync_really() {
    if (auto synced = file_->sync(); !synced) return synced;
    faults_.synced_bytes_[path_] = faults_.size_bytes(path_).value_or(0);
    return {};
  }

  std::unique_ptr<AppendFile> file_;
  FailingFileSystem& faults_;
  std::string path_;
};

std::optional<FailingFileSystem::Fault> FailingFileSystem::next_call() {
  const int call = calls_++;
  if (!fault || call < fault->call || (call > fault->call && !fault->lasting)) return std::nullopt;
  fault_met_ = true;
  return fault;
}

void FailingFileSystem::lose_unsynced() {
  for (const auto& [path, synced] : synced_bytes_) {
    std::error_code gone;
    const auto size = std::filesystem::file_size(path, gone);
    if (!gone && size > synced) std::filesystem::resize_file(path, synced);
  }
}

Result<std::unique_ptr<AppendFile>> FailingFileSystem::open_append(const std::string& path) {
  if (const auto failing = next_call()) {
    if (failing->effect == Effect::kWhole) static_cast<void>(real_.open_append(path));
    return fail(failure("open", failing->error_number).error());
  }
  auto file = real_.open_append(path);
  if (!file) return fail(file.error());
  synced_bytes_.try_emplace(path, real_.size_bytes(path).value_or(0));
  return std::make_unique<FailingAppendFile>(std::move(*file), *this, path);
}

Status FailingFileSystem::create_exclusive(const std::string& path, std::string_view contents) {
  if (const auto failing = next_call()) {
    if (failing->effect == Effect::kWhole) {
      static_cast<void>(real_.create_exclusive(path, contents));
    }
    return failure("create", failing->error_number);
  }
  if (!fail_create) return real_.create_exclusive(path, contents);
  if (auto created = real_.create_exclusive(path, ""); !created) return created;
  return failure("write", ENOSPC);
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
  if (fail_replace) return failure("rename", EIO);
  const auto failing = next_call();
  if (failing && failing->effect != Effect::kWhole) return failure("rename", failing->error_number);
  if (auto replaced = real_.replace(from, to); !replaced) return replaced;
  synced_bytes_.erase(to);
  if (const auto entry = synced_bytes_.extract(from)) {
    synced_bytes_[to] = real_.size_bytes(to).value_or(0);
  }
  if (failing) return failure("sync the folder", failing->error_number);
  return {};
}

Status FailingFileSystem::remove(const std::string& path) {
  const auto failing = next_call();
  if (failing && failing->effect != Effect::kWhole) return failure("remove", failing->error_number);
  if (auto removed = real_.remove(path); !removed) return removed;
  synced_bytes_.erase(path);
  if (failing) return failure("remove", failing->error_number);
  return {};
}

}  // namespace ptxbatch
