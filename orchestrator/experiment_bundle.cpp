#include "orchestrator/experiment_bundle.h"

#include <filesystem>
#include <string_view>

#include "common/file_system.h"

namespace ptxbatch {
namespace {

constexpr std::string_view kMarker = "#:include \"";

}  // namespace

ExperimentBundle split_bundle(const std::string& bundle) {
  ExperimentBundle parts;
  std::string* part = &parts.text;
  std::string_view rest = bundle;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    const std::size_t quote = line.rfind('"');
    if (line.starts_with(kMarker) && quote >= kMarker.size()) {
      part = &parts.included[std::string(line.substr(kMarker.size(), quote - kMarker.size()))];
    } else {
      *part += line;
    }
  }
  return parts;
}

Result<std::string> complete_bundle(const std::string& bundle, const std::string& file,
                                    const std::vector<std::string>& paths) {
  const ExperimentBundle parts = split_bundle(bundle);
  std::string complete = bundle;
  for (const std::string& path : paths) {
    if (parts.included.contains(path)) continue;
    const auto place = std::filesystem::absolute(file).parent_path() / path;
    auto text = read_text(place.lexically_normal().string());
    if (!text) return fail(text.error());
    if (!complete.ends_with('\n')) complete += '\n';
    complete += std::string(kMarker) + path + "\"\n" + *text;
  }
  return complete;
}

}  // namespace ptxbatch
