#include "ranks/compile/bans.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <vector>

#include "common/trim.h"
#include "ranks/compile/source_tokens.h"

namespace ptxbatch {
namespace {

using Kind = SourceToken::Kind;

/// One banned thing and the ways in which a source can show that it uses it.
struct Ban {
  std::string_view name;  // as feedback and records call it
  // Part of an included header's path, lower-case; "cub/" is matched at the path's beginning.
  std::vector<std::string_view> headers;
  std::vector<std::string_view> prefixes;     // of identifiers, lower-case
  std::vector<std::string_view> identifiers;  // whole ones
};

// Sources: the paper's ban (cuBLAS, cuDNN) and ours on top of it (protocol: "beyond").
const std::vector<Ban>& gpu_bans() {
  static const std::vector<Ban> bans = {
      {"cuBLASLt", {"cublaslt"}, {"cublaslt"}, {}},
      {"cuBLAS", {"cublas"}, {"cublas"}, {}},
      {"cuDNN", {"cudnn"}, {"cudnn"}, {}},
      {"CUTLASS", {"cutlass/"}, {}, {}},
      {"CuTe", {"cute/"}, {}, {}},
      {"Thrust", {"thrust/"}, {}, {}},
      {"CUB", {"cub/"}, {}, {}},
      {"PyTorch", {"torch/", "aten/", "c10/"}, {}, {}},
  };
  return bans;
}

const std::vector<Ban>& host_bans() {
  static const std::vector<Ban> bans = {
      {"CBLAS", {"cblas"}, {"cblas_", "lapacke_"}, {}},
      {"OpenBLAS", {"openblas"}, {"openblas_"}, {}},
      {"MKL", {"mkl"}, {"mkl_"}, {}},
      {"Eigen", {"eigen"}, {}, {"Eigen"}},
      {"BLIS", {"blis/", "blis.h"}, {"bli_"}, {}},
      {"oneDNN", {"dnnl", "oneapi/"}, {"dnnl_"}, {"dnnl"}},
      {"LIBXSMM", {"libxsmm"}, {"libxsmm_"}, {}},
      {"PyTorch", {"torch/", "aten/", "c10/"}, {}, {}},
      {"BLAS",
       {"f77blas", "blas.h", "lapack"},
       {},
       {"sgemm_",  "dgemm_", "sgemm_64_", "dgemm_64_", "sgemm_batch_", "sgemv_", "dgemv_",
        "sgemmt_", "ssymm_", "ssyrk_",    "strmm_",    "strsm_",       "sdot_",  "ddot_",
        "saxpy_",  "daxpy_", "sscal_",    "sger_",     "hgemm_",       "sbgemm_"}},
  };
  return bans;
}

// Names that mean nothing else: their mere mention is a use.
constexpr std::array kProcessNames = {"dlopen",
                                      "dlmopen",
                                      "dlsym",
                                      "dlvsym",
                                      "dlinfo",
                                      "popen",
                                      "execl",
                                      "execle",
                                      "execlp",
                                      "execv",
                                      "execve",
                                      "execvp",
                                      "execvpe",
                                      "execveat",
                                      "fexecve",
                                      "posix_spawn",
                                      "posix_spawnp",
                                      "vfork",
                                      "forkpty",
                                      "ptrace",
                                      "syscall",
                                      "process_vm_readv",
                                      "process_vm_writev",
                                      "socketpair"};
// Words that a kernel may use for something of its own: they count when the C function is meant.
constexpr std::array kProcessWords = {"system", "fork", "socket"};
// Instructions and directives inside asm strings that reach the system or other files.
constexpr std::array kAsmWords = {"syscall", "sysenter", "int $0x80", "int 0x80", ".incbin"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// <a/b.h> or "a/b.h" without its delimiters; empty for an include of a macro.
std::string included_path(std::string_view operand) {
  if (operand.empty() || (operand.front() != '<' && operand.front() != '"')) return {};
  const std::size_t close = operand.find(operand.front() == '<' ? '>' : '"', 1);
  return lower(operand.substr(1, close == std::string_view::npos ? close : close - 1));
}

bool path_matches(std::string_view path, std::string_view header) {
  if (header.back() != '/') return path.find(header) != std::string_view::npos;
  return path.starts_with(header) || path.find("/" + std::string(header)) != std::string_view::npos;
}

// An include that could reach beyond the compiler's own headers and TVM-FFI's.
std::string_view include_escape(std::string_view operand, std::string_view path) {
  if (operand.empty()) return {};  // the compiler will say what is wrong
  if (path.empty()) return "#include of a macro";
  if (path.front() == '/') return "#include of an absolute path";
  if (path.find("..") != std::string_view::npos) return "#include of a parent folder";
  return {};
}

std::string_view banned_include(std::span<const Ban> bans, std::string_view operand) {
  const std::string path = included_path(operand);
  for (const Ban& ban : bans) {
    const bool matches =
        std::any_of(ban.headers.begin(), ban.headers.end(),
                    [&](std::string_view header) { return path_matches(path, header); });
    if (matches) return ban.name;
  }
  return include_escape(operand, path);
}

std::string_view banned_identifier(std::span<const Ban> bans, const std::string& identifier) {
  const std::string lowered = lower(identifier);
  for (const Ban& ban : bans) {
    const bool family =
        std::any_of(ban.prefixes.begin(), ban.prefixes.end(),
                    [&](std::string_view prefix) { return lowered.starts_with(prefix); });
    const bool listed = std::find(ban.identifiers.begin(), ban.identifiers.end(), identifier) !=
                        ban.identifiers.end();
    if (family || listed) return ban.name;
  }
  const auto* name = std::find(kProcessNames.begin(), kProcessNames.end(), identifier);
  return name == kProcessNames.end() ? std::string_view{} : *name;
}

class BanSearch {
 public:
  BanSearch(std::vector<SourceToken> tokens, std::span<const Ban> bans)
      : tokens_(std::move(tokens)), bans_(bans) {}

  /// Name and line of the first use; the name is empty when there is none.
  std::pair<std::string, int> first() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string name = banned_at(i);
      if (!name.empty()) return {name, tokens_[i].line};
    }
    return {};
  }

 private:
  std::string banned_at(std::size_t i) {
    const SourceToken& token = tokens_[i];
    switch (token.kind) {
      case Kind::kInclude:
        return std::string(banned_include(bans_, token.text));
      case Kind::kString:
        return in_asm_ ? banned_asm(token.text) : std::string{};
      case Kind::kIdentifier:
        if (token.text == "asm" || token.text == "__asm__" || token.text == "__asm") in_asm_ = true;
        if (is_process_word(i)) return token.text;
        return std::string(banned_identifier(bans_, token.text));
      case Kind::kPunctuation:
        if (token.text == ";") in_asm_ = false;
        return {};
    }
    return {};
  }

  [[nodiscard]] bool is_punctuation(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].kind == Kind::kPunctuation && tokens_[i].text == text;
  }

  // The C function is meant when it is called or its address taken, and it is not a member, nor
  // qualified by anything but std:: or nothing.
  [[nodiscard]] bool is_process_word(std::size_t i) const {
    const std::string& word = tokens_[i].text;
    if (std::find(kProcessWords.begin(), kProcessWords.end(), word) == kProcessWords.end()) {
      return false;
    }
    std::size_t before = i - 1;  // wraps for the first token; is_punctuation() takes that
    if (is_punctuation(before, ".") || is_punctuation(before, "->")) return false;
    if (is_punctuation(before, "::")) {
      const bool qualified = before > 0 && tokens_[before - 1].kind == Kind::kIdentifier &&
                             tokens_[before - 1].text != "return";
      if (qualified && tokens_[before - 1].text != "std") return false;
      before -= qualified ? 2 : 1;
    }
    return is_punctuation(i + 1, "(") || is_punctuation(before, "&") || is_punctuation(before, "=");
  }

  static std::string banned_asm(const std::string& text) {
    for (const char* word : kAsmWords) {
      if (text.find(word) != std::string::npos) return word + std::string(" in inline assembly");
    }
    return {};
  }

  std::vector<SourceToken> tokens_;
  std::span<const Ban> bans_;
  bool in_asm_ = false;
};

std::string line_of(std::string_view source, int line) {
  constexpr std::size_t kExcerptBytes = 200;
  for (int i = 1; i < line; ++i)
    source.remove_prefix(std::min(source.size(), source.find('\n') + 1));
  return std::string(trim(source.substr(0, source.find('\n')).substr(0, kExcerptBytes)));
}

}  // namespace

std::optional<BannedUse> find_banned_use(std::string_view source, std::string_view target) {
  const std::vector<Ban>& bans = target == "host" ? host_bans() : gpu_bans();
  auto [name, line] = BanSearch(tokenize_source(source), bans).first();
  if (name.empty()) return std::nullopt;
  return BannedUse{std::move(name), line, line_of(source, line)};
}

}  // namespace ptxbatch
