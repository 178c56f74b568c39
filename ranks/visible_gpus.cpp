#include "ranks/visible_gpus.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "common/log.h"
#include "common/process.h"
#include "common/trim.h"

namespace ptxbatch {
namespace {

constexpr double kToolTimeoutS = 60;  // without the persistence daemon the driver loads first

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> fields;
  std::istringstream stream(text);
  for (std::string field; std::getline(stream, field, ',');) fields.emplace_back(trim(field));
  return fields;
}

// By number, or by the beginning of its UUID.
const VisibleGpu* find_gpu(const std::vector<VisibleGpu>& all, const std::string& entry) {
  if (entry.empty()) return nullptr;
  if (std::all_of(entry.begin(), entry.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    const std::size_t index = entry.size() < 6 ? std::stoul(entry) : all.size();
    return index < all.size() ? &all[index] : nullptr;
  }
  const auto found = std::find_if(all.begin(), all.end(), [&](const VisibleGpu& gpu) {
    return gpu.uuid.compare(0, entry.size(), entry) == 0;
  });
  return found != all.end() ? &*found : nullptr;
}

}  // namespace

std::optional<std::vector<VisibleGpu>> parse_gpu_list(const std::string& csv) {
  std::vector<VisibleGpu> gpus;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    if (trim(line).empty()) continue;
    auto fields = split(line);
    if (fields.size() != 4 || fields[0].compare(0, 4, "GPU-") != 0) return std::nullopt;
    gpus.push_back({fields[0], fields[1], fields[2], fields[3]});
  }
  return gpus;
}

std::vector<VisibleGpu> select_visible(const std::vector<VisibleGpu>& all, const char* variable) {
  if (variable == nullptr) return all;
  std::vector<VisibleGpu> visible;
  for (const std::string& entry : split(variable)) {
    const VisibleGpu* gpu = find_gpu(all, entry);
    if (gpu == nullptr) break;
    visible.push_back(*gpu);
  }
  return visible;
}

std::optional<std::vector<VisibleGpu>> find_visible_gpus() {
  const auto program = find_program("nvidia-smi");
  if (!program) return std::nullopt;
  ProcessSpec spec;
  spec.argv = {*program, "--query-gpu=uuid,name,compute_cap,driver_version",
               "--format=csv,noheader"};
  spec.environment = tool_environment();
  const auto listed = run_process(spec, kToolTimeoutS);
  const auto all = listed && listed->end.ok() ? parse_gpu_list(listed->output) : std::nullopt;
  if (!all) {
    spdlog::warn("nvidia-smi does not list the GPUs: {}",
                 listed ? listed->output.substr(0, 200) : describe(listed.error()));
    return std::nullopt;
  }
  return select_visible(*all, std::getenv("CUDA_VISIBLE_DEVICES"));
}

}  // namespace ptxbatch
