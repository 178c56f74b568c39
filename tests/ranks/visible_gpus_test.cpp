// Which GPUs a rank takes to be its own: nvidia-smi's list and what CUDA_VISIBLE_DEVICES leaves.
#include "ranks/visible_gpus.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "common/file_system.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

constexpr const char* kTwoGpus =
    "GPU-aaaa-1, NVIDIA H100 80GB HBM3, 9.0, 580.1\n"
    "GPU-bbbb-2, NVIDIA B200, 10.0, 580.1\n";

const VisibleGpu kFirst{"GPU-aaaa-1", "NVIDIA H100 80GB HBM3", "9.0", "580.1"};
const VisibleGpu kSecond{"GPU-bbbb-2", "NVIDIA B200", "10.0", "580.1"};

TEST(VisibleGpus, are_read_from_the_lines_of_nvidia_smi) {
  const auto gpus = parse_gpu_list(kTwoGpus);
  ASSERT_TRUE(gpus);
  EXPECT_EQ(*gpus, (std::vector<VisibleGpu>{kFirst, kSecond}));
  EXPECT_TRUE(parse_gpu_list("")->empty());
  EXPECT_FALSE(parse_gpu_list("No devices were found\n"));
  EXPECT_FALSE(parse_gpu_list("GPU-aaaa-1, NVIDIA H100\n"));
}

TEST(VisibleGpus, are_those_that_the_variable_names_in_its_order) {
  const std::vector<VisibleGpu> all = {kFirst, kSecond};
  const auto visible = [&](const char* variable) { return select_visible(all, variable); };
  EXPECT_EQ(visible(nullptr), all);
  EXPECT_EQ(visible("1,0"), (std::vector<VisibleGpu>{kSecond, kFirst}));
  EXPECT_EQ(visible("GPU-bbbb-2"), (std::vector<VisibleGpu>{kSecond}));
  EXPECT_EQ(visible("GPU-b, 0"), (std::vector<VisibleGpu>{kSecond, kFirst}));
  EXPECT_TRUE(visible("").empty());
  EXPECT_TRUE(visible("NoDevFiles").empty());
  EXPECT_EQ(visible("0,7,1"), (std::vector<VisibleGpu>{kFirst}));  // CUDA stops at the first wrong
}

TEST(VisibleGpus, come_from_the_nvidia_smi_in_the_path) {
  const TestFolder folder;
  const std::string program = folder.file("nvidia-smi");
  ASSERT_TRUE(write_text(program, "#!/bin/sh\ncat <<END\n" + std::string(kTwoGpus) + "END\n"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.file("") + ":" + path).c_str(), 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  const auto gpus = find_visible_gpus();
  ASSERT_TRUE(write_text(program, "#!/bin/sh\necho no driver; exit 9\n"));
  const auto without_driver = find_visible_gpus();
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(gpus);
  EXPECT_EQ(*gpus, (std::vector<VisibleGpu>{kSecond}));
  EXPECT_FALSE(without_driver);
}

}  // namespace
}  // namespace ptxbatch
