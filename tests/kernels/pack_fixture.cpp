#include "tests/kernels/pack_fixture.h"

#include <algorithm>
#include <sstream>

#include "common/clock.h"
#include "common/process.h"
#include "ranks/compile/bans.h"
#include "ranks/compile/tool_lines.h"
#include "ranks/compile/tools.h"

namespace ptxbatch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Opcodes, without predicates and operands, of each function in the binary.
std::map<std::string, std::set<std::string>> opcodes_in(const std::string& binary) {
  std::map<std::string, std::set<std::string>> opcodes;
  const auto cuobjdump = find_cuobjdump();
  EXPECT_TRUE(cuobjdump) << describe(cuobjdump.error());
  if (!cuobjdump) return opcodes;
  std::string function;
  const auto visit = [&](std::string_view line) {
    std::istringstream words{std::string(line)};
    std::string first;
    std::string second;
    std::string third;
    words >> first >> second >> third;
    if (first == "Function") function = third;
    if (!first.starts_with("/*") || !first.ends_with("*/") || second.empty()) return;
    if (second.starts_with("/*")) return;
    opcodes[function].insert(second.starts_with('@') ? third : second);
  };
  const auto status = visit_tool_lines({*cuobjdump, "-sass", binary}, 120, visit);
  EXPECT_TRUE(status) << describe(status.error());
  return opcodes;
}

}  // namespace

std::string kernel_file(const std::string& name) {
  auto text = read_text(std::string(PTXBATCH_KERNEL_TESTS) + "/" + name);
  EXPECT_TRUE(text) << describe(text.error());
  return text.value_or("");
}

GpuPackTest::GpuPackTest(std::string target, std::string architecture)
    : target_(std::move(target)), architecture_(std::move(architecture)) {}

void GpuPackTest::SetUp() {
  auto loaded = load_pack(std::string(PTXBATCH_PACKS_FOLDER) + "/" + target_);
  ASSERT_TRUE(loaded) << describe(loaded.error());
  pack_ = std::move(*loaded);
  auto nvcc = find_nvcc("");
  if (!nvcc) GTEST_SKIP() << describe(nvcc.error());
  nvcc_ = *nvcc;
  auto made = make_compiler(target_named(target_), cache_.path());
  ASSERT_TRUE(made) << describe(made.error());
  compiler_ = std::move(*made);
}

std::vector<PackDocument> GpuPackTest::templates() const {
  std::vector<PackDocument> headers;
  for (const PackComponent& component : pack_.components) {
    for (const PackDocument& document : component.documents) {
      if (document.file.ends_with(".cuh")) headers.push_back(document);
    }
  }
  return headers;
}

std::string GpuPackTest::together() const {
  std::string text;
  for (const PackDocument& header : templates()) {
    std::istringstream lines(header.text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#pragma once") || line.starts_with("#include \"")) continue;
      text += line + '\n';
    }
  }
  return text;
}

void GpuPackTest::expect_each_compiles_alone() const {
  const std::string folder = std::string(PTXBATCH_PACKS_FOLDER) + "/" + target_;
  const std::string code = "arch=compute_" + architecture_ + ",code=compute_" + architecture_;
  EXPECT_GE(templates().size(), 8U);
  for (const PackDocument& header : templates()) {
    const std::string source = cache_.path() + "/alone.cu";
    ASSERT_TRUE(write_text(source, "#include \"" + header.file + "\"\n"));
    ProcessSpec spec;
    // To PTX only: what the host's compiler would add is its time.
    spec.argv = {nvcc_, "-std=c++17", "-gencode", code,   "-Werror", "all-warnings",
                 "-I",  folder,       "-ptx",     source, "-o",      cache_.path() + "/alone.ptx"};
    spec.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + cache_.path()};
    auto child = ChildProcess::start(spec);
    ASSERT_TRUE(child) << describe(child.error());
    const ProcessEnd end = child->wait(deadline_in(120));
    EXPECT_TRUE(end.ok()) << header.file << "\n" << child->output();
  }
}

void GpuPackTest::expect_allowed_and_example_compiles() const {
  for (const std::string& source : {together(), pack_.example.text}) {
    const auto banned = find_banned_use(source, target_);
    EXPECT_FALSE(banned) << banned->name;
  }
  const Compilation result = compiled(pack_.example.text);
  EXPECT_EQ(result.outcome, Compilation::Outcome::kCompiled) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("warning")));
}

std::map<std::string, std::set<std::string>> GpuPackTest::expect_opcodes(
    const std::string& file, const PromisedOpcodes& promised) const {
  const Compilation result = compiled(together() + kernel_file(file));
  EXPECT_EQ(result.outcome, Compilation::Outcome::kCompiled) << result.output;
  EXPECT_THAT(result.output, AllOf(Not(HasSubstr("warning")), Not(HasSubstr("C75"))));
  if (result.outcome != Compilation::Outcome::kCompiled) return {};
  auto found = opcodes_in(result.binary);
  for (const auto& [name, opcodes] : promised) {
    for (const std::string& opcode : opcodes) {
      const auto& has = found[name];
      EXPECT_TRUE(std::any_of(has.begin(), has.end(),
                              [&](const std::string& each) { return each.starts_with(opcode); }))
          << name << " has no " << opcode << " but " << testing::PrintToString(has);
    }
  }
  return found;
}

}  // namespace ptxbatch
