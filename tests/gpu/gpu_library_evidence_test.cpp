// The evidence on production kernels: what executes inside cuBLAS's GEMM and cuDNN's attention is
// counted as a candidate's instructions are, and must cover the problem's operations. Their
// binaries are in no file that could be scanned; they are taken from the driver when it loads them.
//
// CUPTI counts one function a process, so the program starts itself:
//   --load OP_TYPE FOLDER      writes the loaded cubins into FOLDER, prints the launched functions
//   --count OP_TYPE FUNCTION   prints "ADDRESS WARPS THREADS" of each of its instructions
#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "common/process.h"
#include "ranks/compile/disassembly.h"
#include "ranks/problems/operators.h"
#include "ranks/profile/cuda/checked_call.h"
#include "ranks/profile/cuda/device_memory.h"
#include "ranks/profile/cuda/gpu_context.h"
#include "ranks/profile/cuda/kernels.h"
#include "ranks/profile/cuda/references.h"
#include "ranks/profile/cuda/sass_counter.h"
#include "ranks/profile/flop_coverage.h"
#include "tests/gpu/gpu_fixture.h"

namespace ptxbatch {
namespace {

constexpr double kToolTimeoutS = 120;

/// The paper's problem with inputs, on the device, and its reference.
class PreparedReference {
 public:
  explicit PreparedReference(const std::string& op_type) : problem_(paper_problem(op_type)) {
    auto made = make_cuda_reference(problem_);
    if (!made) throw std::runtime_error(made.error().what);
    reference_ = std::move(*made);
    const Operator& kind = *find_operator(problem_.op_type);
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const Tensor& tensor = problem_.inputs[i].tensor;
      inputs_.push_back(buffers_.emplace_back(tensor.bytes()).address());
      if (kind.is_random_input(i)) {
        launch_generate_normal(inputs_.back(), tensor.type, tensor.elements(), i, nullptr);
      }
    }
    for (const Tensor& tensor : problem_.outputs) {
      outputs_.push_back(buffers_.emplace_back(tensor.bytes()).address());
    }
    reference_->derive_inputs(inputs_, nullptr);
    PTXBATCH_CALL(cuCtxSynchronize());
  }
  void run() { reference_->run(inputs_, outputs_, nullptr); }

 private:
  Problem problem_;
  std::unique_ptr<CudaReference> reference_;
  std::vector<DeviceBuffer> buffers_;
  std::vector<CUdeviceptr> inputs_;
  std::vector<CUdeviceptr> outputs_;
};

// --- the program's other two lives ------------------------------------------------------------

struct Loading {
  std::string folder;
  int cubins = 0;
  bool running = false;
  std::set<std::string> launched;
};

void CUPTIAPI on_event(void* state, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                       const void* data) {
  auto& loading = *static_cast<Loading*>(state);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    const auto* resource = static_cast<const CUpti_ResourceData*>(data);
    const auto* module = static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
    std::ofstream file(loading.folder + "/" + std::to_string(loading.cubins++) + ".cubin");
    file.write(module->pCubin, static_cast<std::streamsize>(module->cubinSize));
  } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && loading.running) {
    const auto* call = static_cast<const CUpti_CallbackData*>(data);
    if (call->callbackSite == CUPTI_API_ENTER && call->symbolName != nullptr &&
        std::strstr(call->functionName, "LaunchKernel") != nullptr) {
      loading.launched.insert(call->symbolName);
    }
  }
}

int load(const std::string& op_type, const std::string& folder) {
  Loading loading{folder, 0, false, {}};
  const GpuContext gpu(0);
  CUpti_SubscriberHandle subscriber = nullptr;
  PTXBATCH_CALL(cuptiSubscribe(&subscriber, &on_event, &loading));
  PTXBATCH_CALL(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE));
  PTXBATCH_CALL(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API));
  PreparedReference reference(op_type);
  loading.running = true;
  reference.run();
  PTXBATCH_CALL(cuCtxSynchronize());
  loading.running = false;
  for (const std::string& function : loading.launched) std::puts(function.c_str());
  return 0;
}

int count(const std::string& op_type, const std::string& function) {
  const GpuContext gpu(0);
  PreparedReference reference(op_type);
  SassCounter counter;
  counter.watch(function);
  PTXBATCH_CALL(counter.count([&] { reference.run(); }));
  const FunctionCounts counts = counter.take_counts();
  if (!counts.failure.empty()) std::fprintf(stderr, "%s\n", counts.failure.c_str());
  for (const InstructionCount& i : counts.instructions) {
    std::printf("%lx %ld %ld\n", static_cast<unsigned long>(i.address), static_cast<long>(i.warps),
                static_cast<long>(i.threads));
  }
  return counts.failure.empty() ? 0 : 1;
}

// --- the test -----------------------------------------------------------------------------------

std::string run_self(const std::vector<std::string>& arguments) {
  ProcessSpec spec;
  spec.argv = {std::filesystem::read_symlink("/proc/self/exe").string()};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  spec.environment = tool_environment();
  const auto output = run_process(spec, kToolTimeoutS);
  EXPECT_TRUE(output && output->end.ok()) << (output ? output->output : output.error().what);
  return output ? output->output : "";
}

std::vector<InstructionRecord> scan(const std::string& folder) {
  std::vector<InstructionRecord> all;
  for (const auto& cubin : std::filesystem::directory_iterator(folder)) {
    const StaticScan found = scan_binary("hopper", cubin.path().string(), kToolTimeoutS);
    EXPECT_TRUE(found.succeeded) << found.failure;
    all.insert(all.end(), found.instructions.begin(), found.instructions.end());
  }
  return all;
}

void enter_counts(const std::string& op_type, const std::string& function,
                  std::vector<InstructionRecord>& instructions) {
  std::istringstream counts(run_self({"--count", op_type, function}));
  std::uint64_t address = 0;
  std::int64_t warps = 0;
  std::int64_t threads = 0;
  while (counts >> std::hex >> address >> std::dec >> warps >> threads) {
    for (InstructionRecord& instruction : instructions) {
      if (instruction.function != function || instruction.address != address) continue;
      instruction.warp_executions = warps;
      instruction.thread_executions = threads;
    }
  }
}

double coverage_of(const std::string& op_type) {
  const auto folder = ScratchFolder::make(::testing::TempDir(), "cubins-");
  EXPECT_TRUE(folder);
  std::istringstream launched(run_self({"--load", op_type, folder->path()}));
  std::vector<InstructionRecord> instructions = scan(folder->path());
  for (std::string function; std::getline(launched, function);) {
    const bool holds_family = std::any_of(instructions.begin(), instructions.end(),
                                          [&](const auto& i) { return i.function == function; });
    if (!holds_family) continue;
    std::printf("%s: %s\n", op_type.c_str(), function.c_str());
    enter_counts(op_type, function, instructions);
  }
  const Problem problem = paper_problem(op_type);
  const double coverage =
      flop_coverage(instructions, find_operator(problem.op_type)->flops(problem));
  std::printf("LIBRARY EVIDENCE %s: coverage %.4f\n", op_type.c_str(), coverage);
  return coverage;
}

class LibraryEvidence : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_is_there()) GTEST_SKIP() << "there is no NVIDIA GPU on this machine";
  }
};

TEST_F(LibraryEvidence, CublasGemmIsCoveredExactly) {
  EXPECT_NEAR(coverage_of("gemm"), 1, 0.001);
}

TEST_F(LibraryEvidence, CudnnAttentionIsCoveredExactly) {
  EXPECT_NEAR(coverage_of("mha_fwd"), 1, 0.001);
}

// Tiles on the diagonal are computed whole.
TEST_F(LibraryEvidence, CausalAttentionComputesSomeMoreThanItNeeds) {
  const double coverage = coverage_of("mha_fwd_causal");
  EXPECT_GT(coverage, 1);
  EXPECT_LT(coverage, 1.1);
}

}  // namespace
}  // namespace ptxbatch

int main(int argc, char** argv) {
  const std::string role = argc == 4 ? argv[1] : "";
  try {
    if (role == "--load") return ptxbatch::load(argv[2], argv[3]);
    if (role == "--count") return ptxbatch::count(argv[2], argv[3]);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
