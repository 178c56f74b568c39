#include "ranks/profile/keeper_client.h"

#include <algorithm>

namespace ptxbatch {
namespace {

// The longest request makes a workload's inputs and references; a keeper that takes longer hangs.
constexpr double kAnswerWithinS = 600;
constexpr double kHelloWithinS = 60;

}  // namespace

Result<DeviceInfo> KeeperClient::ensure_running() {
  if (peer_ != nullptr && peer_->alive()) return device_;
  if (peer_ != nullptr) ++signs_.keepers_lost;
  ProcessSpec process = device_process(spec_.place, spec_.program, Peer::kChannelFd, spec_.scratch);
  process.argv.push_back(std::to_string(spec_.budget_bytes));
  process.environment.emplace_back("OPENBLAS_NUM_THREADS=1");
  auto peer = Peer::start(std::move(process));
  if (!peer) return fail(peer.error());
  peer_ = std::make_unique<Peer>(std::move(*peer));
  auto hello = peer_->wait_for_hello<KeeperHello>(deadline_in(kHelloWithinS));
  if (!hello) {
    Error error = error_of(hello.error());
    error.kind = ErrorKind::kSystem;  // no workload was asked for yet that could be at fault
    peer_.reset();                    // also one that is alive and refused to serve
    return fail(std::move(error));
  }
  device_ = hello->device;
  return device_;
}

template <class Reply, class Request>
Result<Answer<Reply>> KeeperClient::ask(Request request) {
  if (peer_ == nullptr) return fail(ErrorKind::kSystem, "the keeper is not running");
  auto answer = peer_->ask<Reply>(std::move(request), deadline_in(kAnswerWithinS));
  if (!answer) return fail(error_of(answer.error()));
  return std::move(*answer);
}

Error KeeperClient::error_of(const PeerFailure& failure) {
  if (failure.kind == PeerFailure::Kind::kRefused) {
    return {ErrorKind::kInput, failure.what, failure.hint, {}, 0, 0, {}};
  }
  std::string said = peer_->child().output();
  if (!said.empty()) said = ": " + said;
  ++signs_.keepers_lost;
  peer_.reset();
  return {ErrorKind::kSystem, "the keeper failed: " + failure.what + said, "", {}, 0, 0, {}};
}

Result<KeeperClient::OpenedWorkload> KeeperClient::open(const Problem& problem,
                                                        std::uint64_t input_seed, int input_sets) {
  OpenWorkload request;
  request.problem = problem;
  request.input_seed = input_seed;
  request.input_sets = static_cast<std::uint64_t>(input_sets);
  auto answer = ask<WorkloadOpened>(std::move(request));
  if (!answer) return fail(answer.error());
  return OpenedWorkload{std::move(answer->reply.reference), std::move(answer->reply.mappings),
                        std::move(answer->fds)};
}

Status KeeperClient::prepare(int set, PartOrder order) {
  const auto answer =
      ask<Done>(PrepareCall{0, static_cast<std::uint64_t>(set), order == PartOrder::kKept});
  if (!answer) return fail(answer.error());
  return {};
}

Result<KeeperClient::Check> KeeperClient::check(int set, Tolerance tolerance) {
  auto answer = ask<CallChecked>(
      CheckCall{0, static_cast<std::uint64_t>(set), tolerance.absolute, tolerance.relative});
  if (!answer) return fail(answer.error());
  return Check{std::move(answer->reply), answer->seconds};
}

Result<KeeperClient::ReferenceCall> KeeperClient::time_reference(int set) {
  const auto answer = ask<ReferenceTimed>(TimeReference{0, static_cast<std::uint64_t>(set)});
  if (!answer) return fail(answer.error());
  return ReferenceCall{answer->reply.seconds, answer->seconds};
}

Result<std::optional<DeviceReading>> KeeperClient::read_device() {
  const auto answer = ask<DeviceRead>(ReadDevice{});
  if (!answer) return fail(answer.error());
  const DeviceErrors& errors = answer->reply.errors;
  signs_.ecc_errors = std::max(signs_.ecc_errors, errors.ecc_uncorrected);
  signs_.xids.insert(signs_.xids.end(), errors.xids.begin(), errors.xids.end());
  signs_.gone |= errors.gone;
  if (answer->reply.readings.empty()) return std::nullopt;
  signs_.throttle_reasons |= answer->reply.readings.front().throttle_reasons;
  return answer->reply.readings.front();
}

}  // namespace ptxbatch
