// One compile: look into the cache, else run the compiler in a scratch folder and keep what it
// made.
#include "ranks/compile/compiler.h"

#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <cstring>
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

constexpr std::size_t kOutputCapBytes = 16U << 20U;   // read from the compiler
constexpr std::size_t kOutputKeptBytes = 64U << 10U;  // kept of it, head and tail

void erase_all(std::string& text, const std::string& part) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, begin)) {
    result.append(text, begin, at - begin);
    begin = at + part.size();
  }
  text = result.append(text, begin);
}

// A full disk is our trouble, not the candidate's; tools say so in lines that do not begin with the
// candidate's name (an #error would).
bool says_disk_is_full(const std::string& output, const std::string& source_name) {
  const std::string sign = std::generic_category().message(ENOSPC);
  for (std::size_t at = output.find(sign); at != std::string::npos;
       at = output.find(sign, at + 1)) {
    const std::size_t line = output.rfind('\n', at) + 1;  // npos + 1 == 0
    if (output.compare(line, source_name.size(), source_name) != 0) return true;
  }
  return false;
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

  // Where to look for precompiled headers; empty when they are of no use to this source. The first
  // candidate to use them has them made for all, outside of its own budget.
  std::string header_folder_for(const std::string& source) {
    if (!command_.precompiles_headers) return {};
    if (source.find(kPrecompiledHeader) == std::string::npos) return {};
    std::call_once(headers_once_, [&] { header_folder_ = precompile_headers(command_, cache_); });
    return header_folder_;
  }

  Result<Compilation> compile_anew(const std::string& key, const std::string& source,
                                   double timeout_s) {
    auto scratch = cache_.make_scratch();
    if (!scratch) return fail(scratch.error());
    const std::string source_path = scratch->path() + "/" + command_.source_name;
    if (auto written = write_text(source_path, source); !written) return fail(written.error());
    const std::string headers = header_folder_for(source);
    auto run = run_process(process_spec(scratch->path(), headers, timeout_s), timeout_s);
    if (!run) return fail(run.error());
    std::string output = readable(std::move(run->output), scratch->path());

    Compilation result;
    result.seconds = run->seconds;
    if (run->end.kind == ProcessEnd::Kind::kTimedOut) {
      result.outcome = Compilation::Outcome::kTimedOut;
      result.output = std::move(output);
      return result;
    }
    if (!run->end.ok()) return failed(std::move(result), run->end, std::move(output));
    auto entry = cache_.insert(key, scratch->path() + "/kernel.so", std::move(output));
    if (!entry) return fail(entry.error());
    result.outcome = Compilation::Outcome::kCompiled;
    result.binary = std::move(entry->binary);
    result.output = std::move(entry->output);
    return result;
  }

  [[nodiscard]] Result<Compilation> failed(Compilation result, const ProcessEnd& end,
                                           std::string output) const {
    if (says_disk_is_full(output, command_.source_name)) {
      return fail(ErrorKind::kSystem, "the disk is full: " + command_.program + " could not write",
                  "Free space in " + cache_.folder() + ".");
    }
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

  // Without our folders, which are no business of a model's, and short enough to keep.
  [[nodiscard]] std::string readable(std::string output, const std::string& scratch) const {
    erase_all(output, scratch + "/");
    for (const std::string& folder : command_.header_folders) erase_all(output, folder + "/");
    return head_and_tail(output, kOutputKeptBytes);
  }

  CompilerCommand command_;
  CompileCache cache_;
  KeyedLock lock_;
  std::once_flag headers_once_;
  std::string header_folder_;
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
