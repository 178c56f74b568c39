#include "common/log.h"

#include <spdlog/details/file_helper.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <mutex>

namespace ptxbatch {
namespace {

// Opens the file with the first line: a command that ends with a mistake of its user leaves none.
class LateFileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LateFileSink(std::string path) : path_(std::move(path)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!open_) file_.open(path_);
    open_ = true;
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    file_.write(line);
  }
  void flush_() override {
    if (open_) file_.flush();
  }

 private:
  std::string path_;
  bool open_ = false;
  spdlog::details::file_helper file_;
};

}  // namespace

void start_log(const std::string& path, const std::string& prefix) {
  auto terminal = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  terminal->set_level(spdlog::level::warn);
  terminal->set_pattern("ptxbatch: %v");
  std::vector<spdlog::sink_ptr> sinks{terminal};
  if (!path.empty()) {
    auto file = std::make_shared<LateFileSink>(path);
    file->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l " + prefix + ": %v");
    sinks.push_back(std::move(file));
  }
  auto logger = std::make_shared<spdlog::logger>("ptxbatch", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::info);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

}  // namespace ptxbatch
