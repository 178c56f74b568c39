#include "analysis/devices.h"

#include <algorithm>
#include <vector>

#include "analysis/text.h"

namespace ptxbatch {

std::string short_device_name(std::string_view name) {
  constexpr std::string_view kMaker = "NVIDIA ";
  if (!name.starts_with(kMaker)) return std::string(name);
  name.remove_prefix(kMaker.size());
  return std::string(name.substr(0, name.find(' ')));
}

std::string device_of(const TurnTable& table, const std::string& target) {
  std::vector<std::string> names;
  for (const TargetDevice& device : table.devices) {
    if (device.target != target || device.name.empty()) continue;
    std::string name = short_device_name(device.name);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return names.empty() ? target : join(names, " + ");
}

}  // namespace ptxbatch
