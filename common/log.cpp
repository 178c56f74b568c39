#include "common/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace ptxbatch {

Status start_log(const std::string& path, const std::string& prefix) {
  auto terminal = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  terminal->set_level(spdlog::level::warn);
  terminal->set_pattern("ptxbatch: %v");
  std::vector<spdlog::sink_ptr> sinks{terminal};
  if (!path.empty()) {
    try {
      auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
      file->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l " + prefix + ": %v");
      sinks.push_back(file);
    } catch (const spdlog::spdlog_ex& error) {
      return fail(ErrorKind::kSystem, error.what(), "Choose a log path that you may write to.");
    }
  }
  auto logger = std::make_shared<spdlog::logger>("ptxbatch", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::info);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
  return {};
}

}  // namespace ptxbatch
