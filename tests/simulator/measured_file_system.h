// The real file system, with what is appended and synced counted; a sync may be left out.
#pragma once

#include <memory>
#include <string>

#include "common/clock.h"
#include "common/file_system.h"

namespace ptxbatch {

class MeasuredFileSystem final : public FileSystem {
 public:
  struct Counts {
    std::uint64_t appended_bytes = 0;
    std::int64_t syncs = 0;
    double sync_s = 0;
    std::int64_t replaced = 0;  // files renamed into place
  };

  explicit MeasuredFileSystem(bool sync) : sync_(sync) {}

  Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) override {
    auto file = real_file_system().open_append(path);
    if (!file) return file;
    return std::make_unique<File>(std::move(*file), counts_, sync_);
  }
  Status create_exclusive(const std::string& path, std::string_view contents) override {
    return real_file_system().create_exclusive(path, contents);
  }
  Result<std::string> read(const std::string& path) override {
    return real_file_system().read(path);
  }
  Result<std::uint64_t> size_bytes(const std::string& path) override {
    return real_file_system().size_bytes(path);
  }
  bool exists(const std::string& path) override { return real_file_system().exists(path); }
  Status replace(const std::string& from, const std::string& to) override {
    ++counts_.replaced;
    return real_file_system().replace(from, to);
  }
  Status remove(const std::string& path) override { return real_file_system().remove(path); }

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  class File final : public AppendFile {
   public:
    File(std::unique_ptr<AppendFile> file, Counts& counts, bool sync)
        : file_(std::move(file)), counts_(counts), sync_(sync) {}
    Status append(std::string_view bytes) override {
      counts_.appended_bytes += bytes.size();
      return file_->append(bytes);
    }
    Status sync() override {
      ++counts_.syncs;
      if (!sync_) return {};
      const auto start = SteadyClock::now();
      Status synced = file_->sync();
      counts_.sync_s += seconds_since(start);
      return synced;
    }
    Status truncate(std::uint64_t size_bytes) override { return file_->truncate(size_bytes); }

   private:
    std::unique_ptr<AppendFile> file_;
    Counts& counts_;
    bool sync_;
  };

  Counts counts_;
  bool sync_;
};

}  // namespace ptxbatch
