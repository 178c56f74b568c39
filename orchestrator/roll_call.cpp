#include "orchestrator/roll_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/version.h"
#include "ranks/generation.h"

namespace ptxbatch {
namespace {

constexpr const char* kGoOnWithout = "Or let --allow-unfit go on without such ranks.";

// The targets' architectures, as nvidia-smi names them; nothing for the host.
const char* compute_capability(const std::string& target) {
  if (target == "hopper") return "9.0";
  if (target == "blackwell") return "10.0";
  return nullptr;
}

tl::unexpected<Error> unfit(std::string what, const std::string& hint) {
  return fail(ErrorKind::kConflict, std::move(what), hint + " " + kGoOnWithout);
}

std::string rank_text(int rank, const Hello& hello) {
  return fmt::format("rank {} on {}", rank, hello.host);
}

}  // namespace

std::vector<std::string> RollCall::gpu_targets() const {
  std::vector<std::string> names;
  for (const TargetSpec& target : experiment_.targets) {
    if (compute_capability(target.name) != nullptr) names.push_back(target.name);
  }
  return names;
}

bool RollCall::suits(const VisibleGpu& gpu) const {
  const auto targets = gpu_targets();
  return std::all_of(targets.begin(), targets.end(), [&](const std::string& target) {
    return gpu.compute_capability == compute_capability(target);
  });
}

Result<int> RollCall::admit(int rank, const Hello& hello) {
  if (hello.program_version != kVersion || hello.git_commit != kGitCommit) {
    return unfit(
        fmt::format("{} runs ptxbatch {} ({}), the coordinator runs {} ({})",
                    rank_text(rank, hello), hello.program_version, hello.git_commit, kVersion,
                    kGitCommit),
        "Start every rank with the same ptxbatch, from a file system that all nodes share.");
  }
  if (is_gateway(experiment_, rank)) return 0;
  if (gpu_targets().empty() || !hello.gpus) return ranks_of_host_[hello.host]++;
  return choose_gpu(rank, hello);
}

Result<int> RollCall::choose_gpu(int rank, const Hello& hello) {
  if (hello.gpus->empty()) {
    return unfit(
        fmt::format("{} has no GPU: CUDA_VISIBLE_DEVICES leaves it none", rank_text(rank, hello)),
        "Ask for GPUs on every node that judges (--gpus-per-node), and start one rank a "
        "GPU there.");
  }
  std::string others;
  for (std::size_t i = 0; i < hello.gpus->size(); ++i) {
    const VisibleGpu& gpu = (*hello.gpus)[i];
    if (!suits(gpu)) {
      others += fmt::format("{}{} is a {} of compute capability {}", others.empty() ? "" : ", ",
                            gpu.uuid, gpu.name, gpu.compute_capability);
      continue;
    }
    const auto [entry, is_free] = rank_of_gpu_.emplace(gpu.uuid, rank);
    if (is_free) return static_cast<int>(i);
    others +=
        fmt::format("{}{} is used by rank {}", others.empty() ? "" : ", ", gpu.uuid, entry->second);
  }
  return unfit(fmt::format("{} has no GPU of its own for the target {}: {}", rank_text(rank, hello),
                           fmt::join(gpu_targets(), ", "), others),
               "Start as many ranks on a node as it has such GPUs, and one more in all, which "
               "coordinates; slurm/ does so.");
}

Status RollCall::check(const EnvironmentRecord& environment) {
  if (compute_capability(environment.target) == nullptr || environment.device_id.empty()) return {};
  const auto [entry, is_new] = rank_of_gpu_.emplace(environment.device_id, environment.rank);
  if (is_new || entry->second == environment.rank) return {};
  return unfit(
      fmt::format("rank {} on {} judges on {}, which is used by rank {}", environment.rank,
                  environment.host, environment.device_id, entry->second),
      "Start one rank a GPU, and give each its own: --gpus-per-node with one rank for each, "
      "or --gpus-per-task=1.");
}

std::optional<std::string> RollCall::news(const EnvironmentRecord& environment) {
  const auto [entry, is_first] = first_with_target_.emplace(environment.target, environment);
  if (is_first) return std::nullopt;
  const EnvironmentRecord& first = entry->second;
  std::string text;
  const auto compare = [&](const char* what, const std::string& here, const std::string& there) {
    if (here == there) return;
    text += fmt::format("{}{} {}, rank {} has {}", text.empty() ? "" : "; ", what, here, first.rank,
                        there);
  };
  // The host's name of a device holds the core.
  if (compute_capability(environment.target) != nullptr) {
    compare("device", environment.device_name, first.device_name);
  }
  compare("driver", environment.driver, first.driver);
  compare("libraries", environment.libraries, first.libraries);
  if (text.empty() || !told_.insert(environment.target + text).second) return std::nullopt;
  return fmt::format("rank {} on {} has {}", environment.rank, environment.host, text);
}

}  // namespace ptxbatch
