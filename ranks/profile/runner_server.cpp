#include "ranks/profile/runner_server.h"

#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "ranks/profile/candidate.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kMaxDescriptors = 250;

// "input A", "output C": one name for each mapping, in their order.
std::vector<std::string> tensor_names(const LoadCandidate& request) {
  std::vector<std::string> names;
  for (const Argument& input : request.inputs) {
    if (!input.is_scalar) names.push_back("input " + input.tensor.name);
  }
  for (const Tensor& output : request.outputs) names.push_back("output " + output.name);
  return names;
}

Result<std::vector<void*>> map_tensors(RunnerDevice& device, const LoadCandidate& request,
                                       std::vector<UniqueFd> fds) {
  const auto names = tensor_names(request);
  if (names.size() != request.mappings.size()) {
    return fail(ErrorKind::kProtocol, "the mappings are not those of the problem's tensors");
  }
  std::vector<void*> data;
  auto next = fds.begin();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const TensorMapping& mapping = request.mappings[i];
    if (mapping.descriptors > static_cast<std::uint64_t>(fds.end() - next)) {
      return fail(ErrorKind::kProtocol, "a tensor's descriptor is missing");
    }
    const auto end = next + static_cast<std::ptrdiff_t>(mapping.descriptors);
    std::vector<UniqueFd> own(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
    auto mapped = device.map_tensor(mapping, std::move(own), names[i]);
    if (!mapped) return fail(mapped.error());
    data.push_back(*mapped);
  }
  return data;
}

Status limit_memory(std::uint64_t bytes, bool addresses) {
#ifdef __SANITIZE_ADDRESS__
  (void)bytes;  // the sanitizer reserves terabytes of addresses
  (void)addresses;
#else
  const rlimit limit{bytes, bytes};
  if (::setrlimit(addresses ? RLIMIT_AS : RLIMIT_DATA, &limit) != 0) {
    return fail(system_error("setrlimit", errno));
  }
#endif
  return {};
}

// What any candidate needs to be loaded and to run, besides what its device needs.
SandboxPolicy sandbox_policy(const RunnerDevice& device, const LoadCandidate& request) {
  SandboxPolicy policy = device.sandbox_additions();
  if (device.allows_system_libraries()) {
    policy.readable.insert(policy.readable.end(), {"/usr", "/lib", "/lib64", "/etc/ld.so.cache"});
  }
  policy.readable.insert(policy.readable.end(), {"/dev/null", "/dev/zero", "/dev/urandom"});
  policy.readable.insert(policy.readable.end(), request.readable.begin(), request.readable.end());
  policy.readable.push_back(request.binary);
  Dl_info tvm_ffi{};
  if (::dladdr(reinterpret_cast<void*>(&TVMFFIErrorMoveFromRaised), &tvm_ffi) != 0) {
    policy.readable.emplace_back(tvm_ffi.dli_fname);
  }
  policy.writable.push_back(request.scratch);
  return policy;
}

class RunnerServer {
 public:
  RunnerServer(RunnerDevice& device, int channel_fd) : device_(device), channel_fd_(channel_fd) {}

  Result<PeerMessage> answer(const PeerMessage& request, std::vector<UniqueFd> fds) {
    if (const auto* ready = std::get_if<AskReady>(&request)) return PeerMessage(Done{ready->nonce});
    if (const auto* load = std::get_if<LoadCandidate>(&request)) {
      if (candidate_) return fail(ErrorKind::kProtocol, "a second candidate for one runner");
      auto loaded = this->load(*load, std::move(fds));
      if (!loaded)
        return PeerMessage(Refused{load->nonce, loaded.error().what, loaded.error().hint});
      return PeerMessage(std::move(*loaded));
    }
    if (const auto* call = std::get_if<CallRun>(&request)) {
      if (!candidate_) return fail(ErrorKind::kProtocol, "a call before a candidate is loaded");
      auto returned = this->call(*call);
      if (!returned) return PeerMessage(Refused{call->nonce, returned.error().what, ""});
      return PeerMessage(std::move(*returned));
    }
    if (const auto* count = std::get_if<CountFunction>(&request)) {
      auto counting = device_.count_function(count->function);
      if (!counting) return fail(counting.error());
      return PeerMessage(Done{count->nonce});
    }
    if (const auto* report = std::get_if<ReportCounts>(&request)) return this->report(*report);
    return fail(ErrorKind::kProtocol, "a runner does not answer such a message");
  }

 private:
  Result<CandidateLoaded> load(const LoadCandidate& request, std::vector<UniqueFd> fds) {
    auto data = map_tensors(device_, request, std::move(fds));
    if (!data) return fail(data.error());
    arguments_ = std::make_unique<CandidateArguments>(request.inputs, request.outputs, *data,
                                                      device_.dl_device());
    if (auto limited = limit_memory(request.memory_limit_bytes, device_.limits_addresses());
        !limited) {
      return fail(limited.error());
    }
    install_fault_reporter(channel_fd_, device_.fault_regions());
    auto notice = enter_sandbox(sandbox_policy(device_, request));
    if (!notice) return fail(notice.error());
    auto candidate = Candidate::load(request.binary);
    if (!candidate) return CandidateLoaded{request.nonce, false, candidate.error().what, *notice};
    candidate_ = *candidate;
    return CandidateLoaded{request.nonce, true, "", *notice};
  }

  Result<RunReturned> call(const CallRun& request) {
    bool returned = false;
    auto timed = device_.time_call([&] { returned = candidate_->call(*arguments_); });
    if (!timed) return fail(timed.error());
    RunReturned reply;
    reply.nonce = request.nonce;
    reply.claimed_s = timed->seconds;
    reply.device_error = timed->device_error;
    reply.device_fault = std::move(timed->device_fault);
    reply.violation = std::move(timed->violation);
    reply.incomplete = timed->incomplete;
    reply.raised = !returned;
    if (reply.raised) {
      Candidate::Raised raised = Candidate::take_error();
      reply.error_kind = std::move(raised.kind);
      reply.error_text = std::move(raised.text);
    }
    return reply;
  }

  Result<PeerMessage> report(const ReportCounts& request) {
    if (!counted_) {
      auto counts = device_.take_counts();
      if (!counts) return fail(counts.error());
      counted_ = std::move(*counts);
    }
    Counts reply{request.nonce, *counted_, false};
    auto& instructions = reply.counts.instructions;
    const std::size_t first = std::min<std::size_t>(request.first, instructions.size());
    const std::size_t last = std::min(first + kMaxCountsPerMessage, instructions.size());
    reply.more = last < instructions.size();
    instructions = {instructions.begin() + static_cast<std::ptrdiff_t>(first),
                    instructions.begin() + static_cast<std::ptrdiff_t>(last)};
    return PeerMessage(std::move(reply));
  }

  RunnerDevice& device_;
  int channel_fd_;
  std::optional<FunctionCounts> counted_;
  std::optional<Candidate> candidate_;
  std::unique_ptr<CandidateArguments> arguments_;
};

}  // namespace

Status serve_runner(Channel& channel, RunnerDevice& device) {
  RunnerServer server(device, channel.fd());
  while (true) {
    auto packet = channel.receive(kMaxMessageBytes, kMaxDescriptors);
    if (!packet) return fail(packet.error());
    if (!*packet) return {};
    const auto request = decode((*packet)->bytes);
    if (!request) return fail(request.error());
    const auto reply = server.answer(*request, std::move((*packet)->fds));
    if (!reply) return fail(reply.error());
    if (auto sent = channel.send(encode(*reply)); !sent) return sent;
  }
}

}  // namespace ptxbatch
