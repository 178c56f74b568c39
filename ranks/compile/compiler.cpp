// One compile: look into the cache, else run the compiler in a scratch folder and keep what it
// made.
#include "ranks/compile/compiler.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>

#include "common/file_system.h"
#include "common/hash.h"
#include "ranks/compile/compile_cache.h"
#include "ranks/compile/compiler_command.h"
#include "ranks/compile/precompiled_header.h"
#include "ranks/excerpt.h"

namespace ptxbatch {
namespace {

// Precompiling takes as long as it saves on this many candidates.
constexpr int kWorthwhileCandidates = 4;
constexpr std::size_t kOutputCapBytes = 16U << 20U;   // read from the compiler
constexpr std::size_t kOutputKeptBytes = 64U << 10U;  // kept of it, head and tail

// Whether a compile can have failed for the folder that it was done in, which is our trouble and
// not the candidate's. What the compiler says of it tells nothing: a candidate may say the same.
Status check_folder(const std::string& folder, const std::string& source_path,
                    const std::string& source) {
  constexpr std::size_t kRoomBytes = 4U << 20U;
  if (const auto kept = read_text(source_path); !kept || *kept != source) {
    return fail(ErrorKind::kSystem, "the source was lost from " + folder + " in the middle of it",
                "Look for what cleans this folder, or set TMPDIR to another one.");
  }
  FileSystem& files = real_file_system();
  const std::string path = folder + "/room";
  auto file = files.open_append(path);
  if (!file) return fail(file.error());
  if (auto written = (*file)->append(std::string(kRoomBytes, 'x')); !written) return written;
  if (auto synced = (*file)->sync(); !synced) return synced;
  return files.remove(path);
}

// SIGKILL comes from outside (a person, a machine out of memory) and says nothing about the
// candidate: it is compiled once more, and only a second kill counts. Most often it hits a stage,
// which runs below the driver, and each driver reports that in its own way.
bool was_killed(const ProcessOutput& run) {
  constexpr int kShellsCodeForIt = 128 + SIGKILL;  // nvcc 13 starts its stages by a shell
  if (run.end.ok()) return false;
  if (run.end.kind == ProcessEnd::Kind::kSignaled) return run.end.signal == SIGKILL;
  if (run.end.kind == ProcessEnd::Kind::kExited && run.end.exit_code == kShellsCodeForIt) {
    return true;
  }
  const auto says = [&](const char* words) { return run.output.find(words) != std::string::npos; };
  return says("Killed signal terminated program") ||  // g++
         says("died due to signal 9");                // nvcc 12
}

/// Lets one thread at a time work on a key; the others wait, and then find its result in the cache.
class KeyedLock {
 public:
  class Guard {
   public:
    Guard(KeyedLock& lock, std::string key) : lock_(lock), key_(std::move(key)) {
      std::unique_lock hold(lock_.mutex_);
      lock_.released_.wait(hold, [&] { return lock_.held_.insert(key_).second; });
    }
    ~Guard() {
      const std::lock_guard hold(lock_.mutex_);
      lock_.held_.erase(key_);
      lock_.released_.notify_all();
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    KeyedLock& lock_;
    std::string key_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable released_;
  std::set<std::string> held_;
};

class CachingCompiler final : public Compiler {
 public:
  CachingCompiler(CompilerCommand command, CompileCache cache)
      : command_(std::move(command)), cache_(std::move(cache)) {}

  [[nodiscard]] const std::string& version() const override { return command_.version; }

  Result<Compilation> compile(const std::string& source, const std::string& source_sha256,
                              double timeout_s) override {
    const auto start = SteadyClock::now();
    const std::string key = key_of(source_sha256);
    const KeyedLock::Guard guard(lock_, key);
    if (auto entry = cache_.find(key)) {
      Compilation found;
      found.outcome = Compilation::Outcome::kCompiled;
      found.binary = std::move(entry->binary);
      found.output = std::move(entry->output);
      found.cached = true;
      found.seconds = seconds_since(start);
      return found;
    }
    return compile_anew(key, source, timeout_s);
  }

 private:
  [[nodiscard]] std::string key_of(const std::string& source_sha256) const {
    std::string all = source_sha256 + "\n" + command_.version;
    for (const std::string& flag : command_.compile_flags) all += "\n" + flag;
    for (const std::string& flag : command_.link_flags) all += "\n" + flag;
    return sha256_hex(all);
  }

  // Where to look for precompiled headers; empty when this source has no use for them.
  std::string header_folder_for(const std::string& source) {
    if (!command_.precompiles_headers) return {};
    if (source.find(kPrecompiledHeader) == std::string::npos) return {};
    std::string folder = precompiled_headers(command_, cache_);
    if (!folder.empty() || ++candidates_ < kWorthwhileCandidates) return folder;
    std::call_once(headers_once_, [&] { precompile_headers(command_, cache_); });
    return precompiled_headers(command_, cache_);
  }

  Result<Compilation> compile_anew(const std::string& key, const std::string& source,
                                   double timeout_s) {
    auto scratch = cache_.make_scratch();
    if (!scratch) return fail(scratch.error());
    const std::string source_path = scratch->path() + "/" + command_.source_name;
    if (auto written = write_text(source_path, source); !written) return fail(written.error());
    auto run = run_compiler(scratch->path(), header_folder_for(source), timeout_s);
    if (!run) return fail(run.error());
    std::string output = head_and_tail(
        without_folders(std::move(run->output), command_, scratch->path()), kOutputKeptBytes);

    Compilation result;
    result.seconds = run->seconds;
    if (run->end.kind == ProcessEnd::Kind::kTimedOut) {
      result.outcome = Compilation::Outcome::kTimedOut;
      result.output = std::move(output);
      return result;
    }
    if (!run->end.ok()) {
      auto sound = check_folder(scratch->path(), source_path, source);
      if (!sound) return fail(sound.error());
      return failed(std::move(result), run->end, std::move(output));
    }
    auto entry = cache_.insert(key, scratch->path() + "/kernel.so", std::move(output));
    if (!entry) return fail(entry.error());
    result.outcome = Compilation::Outcome::kCompiled;
    result.binary = std::move(entry->binary);
    result.output = std::move(entry->output);
    return result;
  }

  // Messages name the files on the way to a header a little differently with precompiled headers.
  // What the compiler has to say therefore always comes from a compile without them, so that
  // feedback does not depend on when they were made.
  [[nodiscard]] Result<ProcessOutput> run_compiler(const std::string& scratch,
                                                   const std::string& headers,
                                                   double timeout_s) const {
    auto run = run_process(process_spec(scratch, headers, timeout_s), timeout_s);
    const bool say_it_plainly = run && !headers.empty() && !run->output.empty();
    if (!run || !(say_it_plainly || was_killed(*run))) return run;
    const double before_s = run->seconds;
    run = run_process(process_spec(scratch, {}, timeout_s), timeout_s);
    if (run) run->seconds += before_s;
    return run;
  }

  [[nodiscard]] static Compilation failed(Compilation result, const ProcessEnd& end,
                                          std::string output) {
    if (end.kind == ProcessEnd::Kind::kSignaled) {
      output += "\nThe compiler was ended by signal " + std::to_string(end.signal) + ".\n";
    }
    result.outcome = Compilation::Outcome::kFailed;
    result.output = std::move(output);
    return result;
  }

  [[nodiscard]] ProcessSpec process_spec(const std::string& scratch, const std::string& headers,
                                         double timeout_s) const {
    ProcessSpec spec;
    spec.argv = {command_.program};
    if (!headers.empty()) spec.argv.insert(spec.argv.end(), {"-isystem", headers});
    spec.argv.insert(spec.argv.end(), command_.compile_flags.begin(), command_.compile_flags.end());
    spec.argv.insert(spec.argv.end(), {command_.source_name, "-o", "kernel.so"});
    spec.argv.insert(spec.argv.end(), command_.link_flags.begin(), command_.link_flags.end());
    spec.environment = compiler_environment(scratch);
    spec.working_directory = scratch;
    spec.limits = command_.limits;
    spec.limits.cpu_s = static_cast<std::uint64_t>(std::ceil(timeout_s)) + 1;
    spec.output_cap_bytes = kOutputCapBytes;
    return spec;
  }

  CompilerCommand command_;
  CompileCache cache_;
  KeyedLock lock_;
  std::atomic<int> candidates_{0};  // that would have gained from precompiled headers
  std::once_flag headers_once_;
};

}  // namespace

Result<std::unique_ptr<Compiler>> make_compiler(const TargetSpec& target,
                                                const std::string& cache_folder) {
  auto command = make_compiler_command(target);
  if (!command) return fail(command.error());
  auto cache = CompileCache::open(cache_folder);
  if (!cache) return fail(cache.error());
  return std::make_unique<CachingCompiler>(std::move(*command), std::move(*cache));
}

}  // namespace ptxbatch
