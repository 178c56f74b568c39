// What is banned on which target, and what only looks as if it were.
#include "ranks/compile/bans.h"

#include <gtest/gtest.h>

#include <string>

namespace ptxbatch {
namespace {

std::string banned_in(std::string_view source, std::string_view target) {
  const auto use = find_banned_use(source, target);
  return use ? use->name : "";
}

struct Case {
  const char* source;
  const char* name;
};

TEST(Bans, GpuTargetsBanLibraryKernels) {
  const Case cases[] = {
      {"#include <cublas_v2.h>\n", "cuBLAS"},
      {"#include \"cublas_v2.h\"\n", "cuBLAS"},
      {"#  include <cublasLt.h>\n", "cuBLASLt"},
      {"cublasHandle_t handle;", "cuBLAS"},
      {"cublasLtMatmul(h);", "cuBLASLt"},
      {"int x = CUBLAS_OP_N;", "cuBLAS"},
      {"#include <cudnn.h>\n", "cuDNN"},
      {"#include <cudnn_frontend.h>\n", "cuDNN"},
      {"cudnnCreate(&h);", "cuDNN"},
      {"#include <cutlass/gemm/gemm.h>\n", "CUTLASS"},
      {"#include \"cute/tensor.hpp\"\n", "CuTe"},
      {"#include <thrust/sort.h>\n", "Thrust"},
      {"#include <cub/cub.cuh>\n", "CUB"},
      {"#include <torch/extension.h>\n", "PyTorch"},
      {"#include <ATen/ATen.h>\n", "PyTorch"},
  };
  for (const char* target : {"hopper", "blackwell"}) {
    for (const Case& c : cases) EXPECT_EQ(banned_in(c.source, target), c.name) << c.source;
  }
}

TEST(Bans, TheHostTargetBansBlas) {
  const Case cases[] = {
      {"#include <cblas.h>\n", "CBLAS"},
      {"#include <openblas/cblas.h>\n", "CBLAS"},
      {"#include <openblas_config.h>\n", "OpenBLAS"},
      {"#include <mkl.h>\n", "MKL"},
      {"#include <Eigen/Dense>\n", "Eigen"},
      {"#include <eigen3/Eigen/Core>\n", "Eigen"},
      {"#include <lapacke.h>\n", "BLAS"},
      {"#include <oneapi/dnnl/dnnl.hpp>\n", "oneDNN"},
      {"#include <libxsmm.h>\n", "LIBXSMM"},
      {"cblas_sgemm(CblasRowMajor);", "CBLAS"},
      {"extern \"C\" void sgemm_(char*);", "BLAS"},
      {"openblas_set_num_threads(8);", "OpenBLAS"},
      {"mkl_set_num_threads(8);", "MKL"},
      {"Eigen::MatrixXf m;", "Eigen"},
  };
  for (const Case& c : cases) EXPECT_EQ(banned_in(c.source, "host"), c.name) << c.source;
}

TEST(Bans, ProcessesAndDynamicLoadingAreBannedEverywhere) {
  const Case cases[] = {
      {"auto* h = dlopen(\"libcublas.so\", 1);", "dlopen"},
      {"::dlsym(h, \"f\");", "dlsym"},
      {"auto f = &dlsym;", "dlsym"},
      {"system(\"ls\");", "system"},
      {"std::system(\"ls\");", "system"},
      {"return ::system(\"ls\");", "system"},
      {"int (*f)(const char*) = &system;", "system"},
      {"int (*f)(const char*) = system;", "system"},
      {"popen(\"ls\", \"r\");", "popen"},
      {"if (fork() == 0) {}", "fork"},
      {"vfork();", "vfork"},
      {"execve(p, a, e);", "execve"},
      {"posix_spawn(&pid, p);", "posix_spawn"},
      {"int s = socket(1, 2, 3);", "socket"},
      {"ptrace(PTRACE_ATTACH, 1);", "ptrace"},
      {"syscall(57);", "syscall"},
      {"process_vm_readv(1);", "process_vm_readv"},
      {"asm volatile(\"syscall\" : : : \"rcx\");", "syscall in inline assembly"},
      {"__asm__ __volatile__ (\"nop\\n\" \"int $0x80\");", "int $0x80 in inline assembly"},
      {"asm(\".incbin \\\"secret\\\"\");", ".incbin in inline assembly"},
      {"#include \"/etc/passwd\"\n", "#include of an absolute path"},
      {"#include \"../../secret.h\"\n", "#include of a parent folder"},
      {"#define H <x>\n#include H\n", "#include of a macro"},
  };
  for (const char* target : {"host", "hopper", "blackwell"}) {
    for (const Case& c : cases) EXPECT_EQ(banned_in(c.source, target), c.name) << c.source;
  }
}

TEST(Bans, TheBackslashDoesNotHideAUse) {
  EXPECT_EQ(banned_in("dl\\\nopen(p, 1);", "host"), "dlopen");
  EXPECT_EQ(banned_in("#inc\\\nlude <cublas_v2.h>\n", "hopper"), "cuBLAS");
}

TEST(Bans, AMacroThatHoldsAUseIsAUse) {
  EXPECT_EQ(banned_in("#define LOAD dlopen\n", "host"), "dlopen");
}

TEST(Bans, CommentsAndStringsAreNoUses) {
  for (const char* source : {"// like cublasSgemm, but ours\n", "/* dlopen\n cudnn */ int a;",
                             "puts(\"system()\");", "const char* s = R\"(cblas_sgemm(); dlopen)\";",
                             "// #include <cublas_v2.h>\n", "asm(\"nop\"); puts(\"syscall\");"}) {
    EXPECT_EQ(banned_in(source, "host"), "") << source;
    EXPECT_EQ(banned_in(source, "hopper"), "") << source;
  }
}

TEST(Bans, LongerNamesAndMembersAreNoUses) {
  for (const char* source :
       {"int my_dlopen_count;", "void system_check();", "__threadfence_system();",
        "cuda::thread_scope_system;", "task.fork();", "pool->socket(1);", "sim::system(3);",
        "int fork_depth = 1;", "float dgemm_like;", "int system;", "struct execution {};",
        "cubin(); cubic(1); thrust = 2.0f; int cute = 1;", "#include <cuda_runtime.h>\n",
        "#include <cuda/barrier>\n", "#include <immintrin.h>\n#include <tvm/ffi/tvm_ffi.h>\n",
        "#include <cuda/std/utility>\n", "#include\n"}) {
    EXPECT_EQ(banned_in(source, "host"), "") << source;
    EXPECT_EQ(banned_in(source, "hopper"), "") << source;
  }
}

TEST(Bans, TheFirstUseIsReportedWithItsLine) {
  const auto use =
      find_banned_use("#include <a.h>\n/* x\n */\n\t  cublasCreate(&h);  \nfork();\n", "hopper");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->name, "cuBLAS");
  EXPECT_EQ(use->line, 4);
  EXPECT_EQ(use->excerpt, "cublasCreate(&h);");
}

TEST(Bans, AVeryLongLineIsQuotedInPart) {
  const auto use = find_banned_use("dlopen(" + std::string(100'000, 'x'), "host");
  ASSERT_TRUE(use);
  EXPECT_LE(use->excerpt.size(), 200U);
}

}  // namespace
}  // namespace ptxbatch
