#include "ranks/compile/disassembly.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "common/clock.h"
#include "common/trim.h"
#include "ranks/compile/tool_lines.h"
#include "ranks/compile/tools.h"
#include "ranks/excerpt.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kFailureBytes = 1000;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool is_packed_fma(std::string_view opcode) {
  return (opcode.ends_with("ps") || opcode.ends_with("pd")) &&
         starts_with_any(opcode, {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub"});
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t"));
}

bool parse_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Takes a disassembler's lines and keeps the instructions of one target's family.
class Disassembly {
 public:
  explicit Disassembly(std::string_view target) : target_(target) {}
  virtual ~Disassembly() = default;
  virtual void visit(std::string_view line) = 0;
  [[nodiscard]] bool saw_instruction() const { return saw_instruction_; }
  std::vector<InstructionRecord> take() { return std::move(found_); }

 protected:
  void enter(std::string_view function) { function_ = function; }

  void instruction(std::uint64_t address, std::string_view opcode, std::string_view text) {
    saw_instruction_ = true;
    if (!in_target_family(target_, opcode)) return;
    InstructionRecord record;
    record.function = function_;
    record.address = address;
    record.text = text;
    found_.push_back(std::move(record));
  }

 private:
  std::string_view target_;
  std::string function_;
  std::vector<InstructionRecord> found_;
  bool saw_instruction_ = false;
};

/// objdump: "0000000000001180 <run(...)>:" opens a function, "    1184:\tvfmadd231ps ..." is an
/// instruction; the address is the offset in the shared object.
class ObjdumpLines final : public Disassembly {
 public:
  using Disassembly::Disassembly;

  void visit(std::string_view line) override {
    if (line.ends_with(">:")) {
      const std::size_t open = line.find(" <");
      if (open != std::string_view::npos) enter(line.substr(open + 2, line.size() - open - 4));
      return;
    }
    const std::size_t colon = line.find(":\t");
    std::uint64_t address = 0;
    if (colon == std::string_view::npos || !parse_hex(trim(line.substr(0, colon)), address)) return;
    const std::string_view text = trim(line.substr(colon + 2));
    std::string_view opcode = first_word(text);
    if (opcode.starts_with('{')) opcode = first_word(trim(text.substr(opcode.size())));
    instruction(address, opcode, text);
  }
};

/// cuobjdump -sass: "Function : NAME" opens a function, "/*01e0*/  @P0 HGMMA.64x8x16 ... ;" is an
/// instruction; the address is the offset in the function. Names stay mangled: profilers report
/// them so.
class SassLines final : public Disassembly {
 public:
  using Disassembly::Disassembly;

  void visit(std::string_view line) override {
    constexpr std::string_view kFunction = "Function : ";
    const std::string_view text = trim(line);
    if (text.starts_with(kFunction)) return enter(text.substr(kFunction.size()));
    const std::size_t close = text.find("*/");
    std::uint64_t address = 0;
    if (!text.starts_with("/*") || close == std::string_view::npos ||
        !parse_hex(text.substr(2, close - 2), address)) {
      return;
    }
    const std::string_view rest = text.substr(close + 2);
    const std::string_view code = trim(rest.substr(0, rest.find(';')));
    if (code.empty() || code.starts_with("/*")) return;
    std::string_view opcode = first_word(code);
    if (opcode.starts_with('@')) opcode = first_word(trim(code.substr(opcode.size())));
    instruction(address, opcode, code);
  }
};

Status disassemble_host(Disassembly& lines, const std::string& binary, double timeout_s) {
  auto objdump = find_objdump();
  if (!objdump) return fail(objdump.error());
  auto status =
      visit_tool_lines({*objdump, "-d", "-C", "--no-show-raw-insn", "-M", "intel", binary},
                       timeout_s, [&](std::string_view line) { lines.visit(line); });
  if (status && !lines.saw_instruction()) {
    return fail(ErrorKind::kSystem, *objdump + " -d gave no instruction");
  }
  return status;
}

Status disassemble_gpu(Disassembly& lines, const std::string& binary, double timeout_s) {
  auto cuobjdump = find_cuobjdump();
  if (!cuobjdump) return fail(cuobjdump.error());
  // Device code without a kernel is an empty section: then there truly is no instruction.
  bool saw_device_code = false;
  const auto visit = [&](std::string_view line) {
    saw_device_code |= line.starts_with("Fatbin elf code") || line.starts_with("\tcode for ");
    lines.visit(line);
  };
  auto status = visit_tool_lines({*cuobjdump, "-sass", binary}, timeout_s, visit);
  if (status && !saw_device_code) {
    return fail(ErrorKind::kSystem, *cuobjdump + " -sass found no device code");
  }
  return status;
}

StaticScan scan_with(Disassembly& lines,
                     Status (*disassemble)(Disassembly&, const std::string&, double),
                     const std::string& binary, double timeout_s) {
  const auto start = SteadyClock::now();
  StaticScan scan;
  const Status status = disassemble(lines, binary, timeout_s);
  scan.succeeded = status.has_value();
  if (status) {
    scan.instructions = lines.take();
  } else {
    scan.failure = head_and_tail(describe(status.error()), kFailureBytes);
  }
  scan.seconds = seconds_since(start);
  return scan;
}

}  // namespace

bool in_target_family(std::string_view target, std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (target == "host") return is_packed_fma(opcode);
  if (target == "hopper") {
    return base.find("GMMA") != std::string_view::npos || base == "UTMALDG" || base == "UTMASTG" ||
           base == "UTMAREDG";
  }
  if (target == "blackwell") return starts_with_any(base, {"UTC", "LDTM", "STTM"});
  return false;
}

StaticScan scan_binary(std::string_view target, const std::string& binary, double timeout_s) {
  if (target == "host") {
    ObjdumpLines lines(target);
    return scan_with(lines, disassemble_host, binary, timeout_s);
  }
  SassLines lines(target);
  return scan_with(lines, disassemble_gpu, binary, timeout_s);
}

}  // namespace ptxbatch
