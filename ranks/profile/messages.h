// What a rank, its keeper, its runners and a tracer say to each other: one struct a message, sent
// as CBOR over a Channel. A request carries a nonce chosen by the rank and the reply repeats it.
// decode() checks every field, so a forged or damaged message is an Error and nothing worse.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.h"
#include "ranks/problems/problem.h"
#include "ranks/profile/judge.h"
#include "ranks/turn_facts.h"

namespace ptxbatch {

/// No message is larger; longer lists go in pieces.
inline constexpr std::size_t kMaxMessageBytes = 64U << 10U;
inline constexpr std::size_t kMaxAddressesPerMessage = 4096;
inline constexpr std::size_t kMaxCountsPerMessage = 512;

/// A tensor in memory that the keeper owns and a runner maps. It ends where the mapping ends. Its
/// descriptors travel beside the message, in the order of the mappings.
struct TensorMapping {
  bool output = false;
  std::uint64_t tensor_bytes = 0;
  std::uint64_t mapped_bytes = 0;
  std::uint64_t descriptors = 0;
};

// ---- any direction ----

struct Done {
  std::uint64_t nonce = 0;
};
/// The request could not be carried out; the sender goes on serving.
struct Refused {
  std::uint64_t nonce = 0;
  std::string what;
  std::string hint;
};

// ---- rank and keeper ----

struct KeeperHello {
  DeviceInfo device;
};
/// Makes the workload's state resident and gives the memory for one candidate: inputs to be mapped
/// read-only, outputs made afresh.
struct OpenWorkload {
  std::uint64_t nonce = 0;
  Problem problem;  // without definition_json
  std::uint64_t input_seed = 0;
  std::uint64_t input_sets = 0;  // distinct inputs: one for each trial
};
struct WorkloadOpened {
  std::uint64_t nonce = 0;
  std::string reference;                // what it is timed against: library, version, algorithm
  std::vector<TensorMapping> mappings;  // inputs without the scalars, then outputs
};
/// In which order an input's independent parts are shown: a new one to each call of a candidate.
enum class PartOrder { kNew, kKept };

/// Puts input set `set` in place, poisons the outputs and flushes the caches.
struct PrepareCall {
  std::uint64_t nonce = 0;
  std::uint64_t set = 0;
  bool keeps_order = false;  // of the inputs' parts: for a call that no candidate makes
};
/// Compares the outputs with the reference of input set `set`.
struct CheckCall {
  std::uint64_t nonce = 0;
  std::uint64_t set = 0;
  double abs_tolerance = 0;
  double rel_tolerance = 0;
};
struct CallChecked {
  std::uint64_t nonce = 0;
  std::vector<OutputError> errors;  // one an output
  std::string overrun;              // the output before which the canary is damaged; or empty
};
/// Runs the reference once on input set `set`.
struct TimeReference {
  std::uint64_t nonce = 0;
  std::uint64_t set = 0;
};
struct ReferenceTimed {
  std::uint64_t nonce = 0;
  double seconds = 0;
};

/// What the device says of its clocks, temperature and power; nothing on the host.
struct ReadDevice {
  std::uint64_t nonce = 0;
};
/// What the driver holds against a GPU.
struct DeviceErrors {
  std::int64_t ecc_uncorrected = 0;  // since the driver was loaded
  std::vector<std::int64_t> xids;    // critical errors since the last reading
  bool gone = false;                 // the driver cannot reach the GPU any more
};
struct DeviceRead {
  std::uint64_t nonce = 0;
  std::vector<DeviceReading> readings;  // one or none
  DeviceErrors errors;
};

// ---- rank and runner ----

/// Answered with Done once the runner has all that it can have before its candidate.
struct AskReady {
  std::uint64_t nonce = 0;
};
/// Maps the tensors, locks the process down, loads the candidate.
struct LoadCandidate {
  std::uint64_t nonce = 0;
  std::string binary;                 // absolute path of the shared object
  std::string scratch;                // the only folder in which it may write
  std::vector<std::string> readable;  // files and folders that it may read beyond what it needs
  std::uint64_t memory_limit_bytes = 0;
  std::vector<Argument> inputs;
  std::vector<Tensor> outputs;
  std::vector<TensorMapping> mappings;
};
struct CandidateLoaded {
  std::uint64_t nonce = 0;
  bool loaded = false;
  std::string failure;  // why it cannot be loaded: the dynamic linker's words
  std::string notice;   // a protection that this kernel lacks
};
struct CallRun {
  std::uint64_t nonce = 0;
};
struct RunReturned {
  std::uint64_t nonce = 0;
  double claimed_s = 0;
  std::int64_t device_error = 0;  // the device failed with this error of the driver's; 0: no
  std::string device_fault;       // the driver's words for it
  std::string violation;          // the device worked outside the call, or not in it: which work
  bool incomplete = false;        // the device's record of the call has gaps: measure again
  bool raised = false;
  std::string error_kind;  // TVM-FFI's: "TypeError", "RuntimeError"
  std::string error_text;
};
/// To a runner that counts instructions instead of timing.
struct CountFunction {
  std::uint64_t nonce = 0;
  std::string function;  // the kernel's symbol
};
struct InstructionCount {
  std::uint64_t address = 0;  // in the function
  std::int64_t warps = 0;
  std::int64_t threads = 0;  // with a true predicate
};
/// What was counted; the lists of a large function come in pieces.
struct FunctionCounts {
  bool launched = false;
  bool graph_launched = false;  // a graph was launched, in which functions may run unseen
  std::string other_function;   // counted in its place
  std::string failure;          // the counting itself failed
  std::vector<InstructionCount> instructions;
};
struct ReportCounts {
  std::uint64_t nonce = 0;
  std::uint64_t first = 0;  // instructions to leave out, those reported already
};
struct Counts {
  std::uint64_t nonce = 0;
  FunctionCounts counts;
  bool more = false;
};
/// Sent by the runner's signal handler before it dies, without a request: advice, not a verdict.
struct FaultNote {
  std::string place;  // "input A (read-only)", "just behind output C", "null pointer"
};

// ---- rank and tracer ----

struct SetBreakpoints {
  std::uint64_t nonce = 0;
  std::string binary;
  std::vector<std::uint64_t> addresses;  // offsets in the shared object
};
struct ReportHits {
  std::uint64_t nonce = 0;
  std::uint64_t first = 0;  // hits to leave out, those reported already
};
struct Hits {
  std::uint64_t nonce = 0;
  std::vector<std::uint64_t> addresses;
  bool more = false;
};

using PeerMessage =
    std::variant<Done, Refused, KeeperHello, OpenWorkload, WorkloadOpened, PrepareCall, CheckCall,
                 CallChecked, TimeReference, ReferenceTimed, ReadDevice, DeviceRead, AskReady,
                 LoadCandidate, CandidateLoaded, CallRun, RunReturned, FaultNote, CountFunction,
                 ReportCounts, Counts, SetBreakpoints, ReportHits, Hits>;

std::string encode(const PeerMessage& message);

/// kProtocol, with the field at fault, for anything that is not one of the messages above.
/// Texts come out as valid UTF-8 of at most a few kilobytes.
Result<PeerMessage> decode(std::string_view bytes);

}  // namespace ptxbatch
