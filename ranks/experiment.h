// An experiment as the ranks need it: plain data, filled from the experiment file by
// orchestrator/experiment_file. Defaults are the paper's (protocol settings) or sensible.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ranks/problems/problem.h"
#include "ranks/prompt/pack_level.h"

namespace ptxbatch {

/// What is left out is not sent: the provider's own default holds.
struct SamplingSettings {
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> top_k;
  std::optional<double> presence_penalty;
  std::optional<double> frequency_penalty;
  std::optional<std::int64_t> seed;
  std::string reasoning_effort;
};

/// Kept by all ranks together; 0: no limit.
struct ModelLimits {
  int in_flight = 0;
  int requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;
};

/// US dollars for a million tokens. `cached` is for prompt tokens read from a cache, and is
/// `prompt` where it is not given.
struct ModelPrices {
  double prompt = 0;
  double cached = 0;
  double completion = 0;
  bool given = false;     // else unknown, not free
  bool reported = false;  // the server is known to give the cost of each reply
};

/// Seconds that a stream may stand still. There is none for the whole: thinking takes long.
struct StreamClocks {
  double connect_s = 30;
  double first_byte_s = 600;
  double idle_s = 600;         // without a byte
  double keep_alive_s = 1800;  // with nothing but keep-alive comments
};

struct RetrySettings {
  int attempts = 8;
  double first_delay_s = 1;  // doubled with every attempt; the wait is a random share of it
  double longest_delay_s = 60;
};

/// A model behind HTTP.
struct EndpointSpec {
  std::string url;          // without the path of the API's call
  std::string url_env;      // environment variable that may hold another one
  std::string model;        // the name that is sent
  std::string api_key_env;  // environment variable that holds the key; empty: none is sent
  std::string ca_file;      // certificates to trust instead of the system's
  bool stream = true;
  SamplingSettings sampling;
  std::int64_t max_tokens = 0;  // of a reply, reasoning included; 0: not sent
  std::string max_tokens_field = "max_tokens";
  std::int64_t context_tokens = 0;         // of prompt and reply together; 0: unknown
  std::int64_t least_reply_tokens = 4096;  // no request is sent with less room for its reply
  std::map<std::string, std::string> headers;
  std::string body;  // further fields of the request, a JSON object
  ModelLimits limits;
  ModelPrices prices;
  StreamClocks clocks;
  RetrySettings retries;
};

class RepairNotes;  // ranks/prompt/repair_notes.h

/// Notes on how similar failed kernels were put right, behind the feedback of a failed turn.
struct RepairNotesSettings {
  std::shared_ptr<const RepairNotes> corpus;  // read with the experiment file; null: no notes
  int kernels = 3;                            // the most similar failed kernels
  int notes = 8;                              // at most, of all of them together
  bool fixed_kernel = false;                  // with the source of each one's fastest repair
  int max_tokens = 32000;                     // a repair that would exceed this is left out
};

/// What one variant of a model is told, beside what the prompt's tag adds.
struct VariantSpec {
  PackLevel pack_level = PackLevel::kContract;
  std::map<std::string, std::vector<std::string>> guidance;  // op_type -> names in the pack
  RepairNotesSettings repair_notes;
  int line = 0;
};

/// A row of tables: a model, or a variant of it.
struct ModelSpec {
  std::string name;
  std::string provider;        // "recorded", or an API: "openai", "anthropic", "gemini"
  std::string replies_folder;  // recorded: absolute path
  double replay_latency = 0;   // recorded: factor on the recorded latency; 0 answers at once
  std::string file;            // that it stands in, and where, for errors found later
  int line = 0;
  EndpointSpec endpoint;  // unless recorded
  std::string base;       // name of the [[models]] entry: its variants share its limits
  VariantSpec variant;
};

/// A knowledge pack, a compiler and a device that go together.
struct TargetSpec {
  std::string name;         // "host", "hopper", "blackwell"
  std::string pack_folder;  // absolute path of knowledge_packs/NAME
  std::string compiler;     // program; empty: the target's default
  int line = 0;
};

struct ProblemSpec {
  std::string name;  // short name, as in tables: "GEMM"
  Problem problem;
  int line = 0;
};

/// One prompt tag: which guidance documents of the pack are added, by operator type.
struct PromptSpec {
  std::string tag;
  std::map<std::string, std::vector<std::string>> guidance;  // op_type -> names in the pack
  int line = 0;
};

struct ProtocolSettings {
  int turns = 8;
  double target_speedup = 1.2;  // a trajectory stops when it is reached
  int trials = 0;               // distinct inputs; 0: the operator's own number (3, backward 1)
  int warmups = 10;
  int iterations = 50;  // timed calls a trial
  // The timed calls are split into this many blocks, alternating with the reference; 0: the
  // reference is timed once only, before the first candidate, as the paper does.
  int pair_blocks = 5;
  // GPU: what a call may take, by the rank's clock, beyond the GPU's work in it, an honest call's
  // way and a quarter of that work. A candidate's own host code runs in it.
  double unclaimed_ms = 0.3;
  double abs_tolerance = 1e-2;  // an element is wrong only if it exceeds both
  double rel_tolerance = 1e-2;
  std::uint64_t input_seed = 42;
  std::vector<std::string> sanitizers = {"memcheck"};  // GPU: compute-sanitizer's, in this order
  std::string speedup =
      "paper";  // which speedup stops a trajectory and goes into tables: paper | paired
};

/// Seconds a stage may take, queueing excluded.
struct StageBudgets {
  double generate_s = 3600;
  double compile_s = 120;
  double sanitize_s = 120;
  double evaluate_s = 30;
  double evidence_s = 30;
};

struct RankSettings {
  int generating = 32;   // model calls out at a time, per rank
  int profiling = 8;     // further trajectories that are compiled or judged meanwhile
  int compile_jobs = 0;  // 0: half of the cores this rank may use, at least 1
  int feedback_max_tokens = 4000;
  double checkpoint_s = 600;  // NAME.h5 is rewritten this often while a run is active
  int put_backs = 2;          // times that a trajectory is tried again after transport failures
  bool gateways = false;      // model calls are made by the gateway ranks alone
  std::vector<int> gateway_ranks = {1};
  // A rank, or the coordinator, from which nothing comes for so long is given up; 0: never.
  double silence_s = 120;
};

/// When a device is held to be sick, and how long it is nursed (ranks/profile/health.h).
struct ReliabilitySettings {
  // Of the reference: within one measurement, and from when it was first timed. Under load it
  // wanders by up to 9 % on a sound GPU; throttling was seen to distort it by over 15 %.
  double drift = 0.05;
  double shift = 0.15;
  int repeats = 2;       // of a turn whose measurement is void while the device itself seems sound
  int restarts = 3;      // of the keeper in one illness; then the device is excluded
  int sound_turns = 20;  // in a row, after which an illness is over
  double cool_down_s = 30;  // that a hot device is left alone before it is tried again
};

/// What all model calls of an experiment may use; 0: no limit. The run stops, to be resumed.
struct SpendingLimits {
  std::int64_t max_tokens = 0;
  double max_cost_usd = 0;
};

struct Experiment {
  std::string file;  // path as given
  std::string text;  // verbatim
  std::string name;
  std::string description;
  std::vector<ModelSpec> models;
  std::vector<TargetSpec> targets;
  std::vector<ProblemSpec> problems;
  std::vector<PromptSpec> prompts;
  int replicas = 1;
  ProtocolSettings protocol;
  StageBudgets budgets;
  RankSettings rank;
  ReliabilitySettings reliability;
  SpendingLimits spending;
};

}  // namespace ptxbatch
