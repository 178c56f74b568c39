#include "common/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace ptxbatch {
namespace {

class FileSystemTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  FileSystem& files_ = real_file_system();

 private:
  std::string folder_ = testing::TempDir() + "/file_system_test_" + std::to_string(::getpid());
};

TEST_F(FileSystemTest, AppendsAndCuts) {
  {
    auto file = files_.open_append(path("a"));
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->append("one"));
    ASSERT_TRUE((*file)->append("two"));
    ASSERT_TRUE((*file)->sync());
    ASSERT_TRUE((*file)->truncate(4));
    ASSERT_TRUE((*file)->append("!"));
  }
  EXPECT_EQ(*files_.read(path("a")), "onet!");
  EXPECT_EQ(*files_.size_bytes(path("a")), 5U);
}

TEST_F(FileSystemTest, ExclusiveCreationRefusesAnExistingFile) {
  ASSERT_TRUE(files_.create_exclusive(path("lock"), "me"));
  const auto second = files_.create_exclusive(path("lock"), "you");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(*files_.read(path("lock")), "me");
}

TEST_F(FileSystemTest, ReplaceLeavesOnlyTheNewFile) {
  ASSERT_TRUE(write_text(path("old"), "old"));
  ASSERT_TRUE(write_text(path("new"), "new"));
  ASSERT_TRUE(files_.replace(path("new"), path("old")));
  EXPECT_EQ(*files_.read(path("old")), "new");
  EXPECT_FALSE(files_.exists(path("new")));
}

TEST_F(FileSystemTest, AMissingFileIsNamed) {
  const auto text = read_text(path("missing"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().file, path("missing"));
  EXPECT_EQ(text.error().kind, ErrorKind::kSystem);
}

TEST_F(FileSystemTest, AFolderIsNotAFile) {
  EXPECT_FALSE(read_text(path(".")));
}

}  // namespace
}  // namespace ptxbatch
