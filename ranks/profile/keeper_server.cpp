#include "ranks/profile/keeper_server.h"

#include "ranks/profile/workload_store.h"

namespace ptxbatch {
namespace {

struct Reply {
  PeerMessage message;
  std::vector<UniqueFd> fds;
};

class KeeperServer {
 public:
  KeeperServer(KeeperDevice& device, std::uint64_t budget_bytes)
      : device_(device), store_(device, budget_bytes) {}

  Reply answer(const PeerMessage& request) {
    return std::visit([this](const auto& message) { return serve(message); }, request);
  }

 private:
  Reply serve(const OpenWorkload& request) {
    state_ = nullptr;
    auto state = store_.open(request);
    if (!state) return refusal(request.nonce, state.error());
    auto shared = (*state)->share_with_new_runner();
    if (!shared) return refusal(request.nonce, shared.error());
    state_ = *state;
    input_sets_ = request.input_sets;
    return {WorkloadOpened{request.nonce, state_->reference(), std::move(shared->mappings)},
            std::move(shared->fds)};
  }
  Reply serve(const PrepareCall& request) {
    if (auto wrong = check_set(request.nonce, request.set)) return std::move(*wrong);
    const Status status =
        state_->prepare_call(request.set, request.keeps_order ? PartOrder::kKept : PartOrder::kNew);
    if (!status) return refusal(request.nonce, status.error());
    return {Done{request.nonce}, {}};
  }
  Reply serve(const CheckCall& request) {
    if (auto wrong = check_set(request.nonce, request.set)) return std::move(*wrong);
    auto checked =
        state_->check_call(request.set, Tolerance{request.abs_tolerance, request.rel_tolerance});
    if (!checked) return refusal(request.nonce, checked.error());
    checked->nonce = request.nonce;
    return {std::move(*checked), {}};
  }
  Reply serve(const TimeReference& request) {
    if (auto wrong = check_set(request.nonce, request.set)) return std::move(*wrong);
    const auto seconds = state_->time_reference(request.set);
    if (!seconds) return refusal(request.nonce, seconds.error());
    return {ReferenceTimed{request.nonce, *seconds}, {}};
  }
  Reply serve(const ReadDevice& request) {
    DeviceRead reply;
    reply.nonce = request.nonce;
    if (const auto reading = device_.read()) reply.readings.push_back(*reading);
    reply.errors = device_.take_errors();
    return {std::move(reply), {}};
  }
  template <class Other>
  Reply serve(const Other& /*message*/) {
    return {Refused{0, "a keeper does not answer such a message", ""}, {}};
  }

  static Reply refusal(std::uint64_t nonce, const Error& error) {
    return {Refused{nonce, error.what, error.hint}, {}};
  }
  [[nodiscard]] std::optional<Reply> check_set(std::uint64_t nonce, std::uint64_t set) const {
    if (state_ == nullptr) return Reply{Refused{nonce, "no workload is open", ""}, {}};
    if (set >= input_sets_) return Reply{Refused{nonce, "there is no such input set", ""}, {}};
    return std::nullopt;
  }

  KeeperDevice& device_;
  WorkloadStore store_;
  WorkloadState* state_ = nullptr;
  std::uint64_t input_sets_ = 0;
};

}  // namespace

Status serve_keeper(Channel& channel, KeeperDevice& device, std::uint64_t budget_bytes) {
  if (auto sent = channel.send(encode(KeeperHello{device.info()})); !sent) return sent;
  KeeperServer server(device, budget_bytes);
  while (true) {
    auto packet = channel.receive(kMaxMessageBytes, 0);
    if (!packet) return fail(packet.error());
    if (!*packet) return {};
    const auto request = decode((*packet)->bytes);
    if (!request) return fail(request.error());
    const Reply reply = server.answer(*request);
    std::vector<int> fds;
    for (const UniqueFd& fd : reply.fds) fds.push_back(fd.get());
    if (auto sent = channel.send(encode(reply.message), fds); !sent) return sent;
  }
}

}  // namespace ptxbatch
