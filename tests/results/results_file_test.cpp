#include "results/results_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <string>

#include "results/hdf5_attributes.h"
#include "results/hdf5_handle.h"
#include "results/schema.h"
#include "tests/results/example_records.h"
#include "tests/support/failing_file_system.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/test_folder.h"

// HDF5 leaks what belongs to a file that it cannot close on a full disk. Only a leak sanitizer
// knows this function.
extern "C" const char* __lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libhdf5";
}

namespace ptxbatch {
namespace {

/// Bytes that gzip cannot shrink.
std::string bytes_of_noise(std::size_t count) {
  std::mt19937_64 random(1);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// A row of /replies as the first version wrote it.
struct FirstReplyRow {
  ReplyRow row;
};

template <class Visitor>
void visit_columns(Visitor& visitor, SameRecord<FirstReplyRow> auto& first) {
  const auto forward = [&visitor](const char* name, auto& value, auto... added_later) {
    if constexpr (sizeof...(added_later) == 0) visitor(name, value);
  };
  visit_columns(forward, first.row);
}

class ResultsFileTest : public testing::Test {
 protected:
  Status write(const std::vector<Record>& records, bool complete = false) {
    return write_results_file(files_, path_, source_of(records), complete);
  }
  [[nodiscard]] std::vector<Record> read() const {
    return collect([this](const auto& visit) {
      const Status status = read_results_file(path_, visit);
      EXPECT_TRUE(status) << describe(status.error());
    });
  }
  [[nodiscard]] Status check() const {
    return read_results_file(path_, [](Record&&) { return Status{}; });
  }
  [[nodiscard]] std::string bytes() const { return read_text(path_).value(); }
  void expect_no_leftovers() const { EXPECT_FALSE(std::filesystem::exists(path_ + ".tmp")); }
  /// Opens the file for changes of the test's own.
  void change(const std::function<void(hid_t)>& change) const {
    Hdf5Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(file.get(), 0);
    change(file.get());
  }
  void expect_input_error(const Status& status, const std::string& part_of_what) const {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kInput);
    EXPECT_EQ(status.error().file, path_);
    EXPECT_NE(status.error().what.find(part_of_what), std::string::npos) << status.error().what;
    EXPECT_FALSE(status.error().hint.empty());
  }

  TestFolder folder_;
  FailingFileSystem files_;
  std::string path_ = folder_.file("run.h5");
};

TEST_F(ResultsFileTest, GivesBackAllRecordsInTheirOrder) {
  for (const auto& records : {example_records(), hard_records()}) {
    const Status written = write(records);
    ASSERT_TRUE(written) << describe(written.error());
    EXPECT_TRUE(same(read(), records));
    expect_no_leftovers();
  }
}

TEST_F(ResultsFileTest, GivesBackARunThatFillsManyChunks) {
  const auto records = collect(synthetic_records({.turns = 3000}));
  ASSERT_TRUE(write(records));
  EXPECT_TRUE(same(read(), records));
}

TEST_F(ResultsFileTest, MadeFromWhatItHoldsIsTheSameByteForByte) {
  ASSERT_TRUE(write(collect(synthetic_records({.turns = 200}))));
  const std::string first = bytes();
  ASSERT_TRUE(write(read()));
  EXPECT_TRUE(bytes() == first);
}

TEST_F(ResultsFileTest, OfAnExperimentThatHasNotBegunIsWhole) {
  const std::vector<Record> records = {example_records()[0]};
  ASSERT_TRUE(write(records));
  EXPECT_TRUE(same(read(), records));
}

TEST_F(ResultsFileTest, OfTheFirstVersionIsRead) {
  std::vector<Record> records = example_records();
  std::erase_if(records, [](const Record& r) { return std::holds_alternative<RequestRecord>(r); });
  auto& reply = std::get<ReplyRecord>(records[3]);
  reply.model_requested = reply.fingerprint = "";
  reply.attempts = 0;
  reply.first_text_s = 0;
  reply.usage_estimated = false;
  reply.reasoning_estimated = false;
  ASSERT_TRUE(write(records));
  change([this](hid_t file) {
    auto replies = TableReader<FirstReplyRow>::open(file, path_, schema::kReplies);
    ASSERT_TRUE(replies);
    FirstReplyRow row;
    ASSERT_TRUE(replies->next(row));
    ASSERT_GE(H5Ldelete(file, schema::kReplies, H5P_DEFAULT), 0);
    ASSERT_GE(H5Ldelete(file, schema::kRequests, H5P_DEFAULT), 0);
    ASSERT_TRUE(write_table<FirstReplyRow>(file, schema::kReplies, {row}));
  });
  EXPECT_TRUE(same(read(), records));
}

TEST_F(ResultsFileTest, StoresEqualTextsOnce) {
  TurnRecord turn;
  turn.trajectory = 0;
  // Random enough not to be compressed away: its size shows in the file's.
  turn.source = bytes_of_noise(1U << 20U);
  std::vector<Record> records = {example_records()[0], turn};
  ASSERT_TRUE(write(records));
  const auto once = std::filesystem::file_size(path_);
  for (int i = 0; i < 5; ++i) records.emplace_back(turn);
  ASSERT_TRUE(write(records));
  EXPECT_LT(std::filesystem::file_size(path_), once + once / 2);
  EXPECT_TRUE(same(read(), records));
}

TEST_F(ResultsFileTest, HasASummary) {
  ASSERT_TRUE(write(example_records(), true));
  const auto summary = read_results_summary(path_);
  ASSERT_TRUE(summary) << describe(summary.error());
  EXPECT_EQ(summary->experiment_name, "paper H100");
  EXPECT_EQ(summary->experiment_text, std::get<ExperimentRecord>(example_records()[0]).text);
  EXPECT_TRUE(summary->complete);
  EXPECT_EQ(summary->turns, 1);
  ASSERT_TRUE(write(example_records(), false));
  EXPECT_FALSE(read_results_summary(path_)->complete);
}

TEST_F(ResultsFileTest, WhoseRecordsDoNotBeginWithTheExperimentIsRefused) {
  EXPECT_FALSE(write({}));
  EXPECT_FALSE(write({EventRecord{}}));
  auto other = std::get<ExperimentRecord>(example_records()[0]);
  other.name += "another";
  EXPECT_FALSE(write({example_records()[0], other}));
  EXPECT_FALSE(std::filesystem::exists(path_));
  expect_no_leftovers();
}

TEST_F(ResultsFileTest, RefusesAHashThatIsNone) {
  TurnRecord turn;
  turn.source_sha256.assign(65, 'a');
  const Status written = write({example_records()[0], turn});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().key, "source_sha256");
}

TEST_F(ResultsFileTest, KeepsItsOldContentsWhenTheSourceFails) {
  ASSERT_TRUE(write(example_records()));
  const std::string before = bytes();
  const Status written = write_results_file(
      files_, path_,
      [](const std::function<Status(Record &&)>& visit) -> Status {
        if (auto done = visit(Record(example_records()[0])); !done) return done;
        return fail(ErrorKind::kInput, "the journal is damaged");
      },
      true);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().what, "the journal is damaged");
  EXPECT_TRUE(bytes() == before);
  expect_no_leftovers();
}

TEST_F(ResultsFileTest, KeepsItsOldContentsWhenTheRenameIsLost) {
  ASSERT_TRUE(write(example_records()));
  const std::string before = bytes();
  files_.fail_replace = true;
  const Status written = write(hard_records());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kSystem);
  EXPECT_TRUE(bytes() == before);
  expect_no_leftovers();
}

/// While it lives, no file of this process can grow past the limit (EFBIG, as a full disk's
/// ENOSPC).
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int) = nullptr;
};

/// Disk space held by files that are removed but that this process still has open.
std::uintmax_t bytes_of_removed_files() {
  std::uintmax_t bytes = 0;
  for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed_meanwhile;
    const auto target = std::filesystem::read_symlink(fd, closed_meanwhile).string();
    if (!target.ends_with("(deleted)")) continue;
    bytes += std::filesystem::file_size(fd, closed_meanwhile);
  }
  return bytes;
}

TEST_F(ResultsFileTest, KeepsItsOldContentsWhenTheDiskIsFull) {
  ASSERT_TRUE(write(example_records()));
  const std::string before = bytes();
  const auto records = collect(synthetic_records({.turns = 2000}));
  for (const rlim_t room : {rlim_t{0}, rlim_t{1000}, rlim_t{100'000}, rlim_t{400'000}}) {
    const FileSizeLimit full(room);
    const Status written = write(records);
    ASSERT_FALSE(written) << room;
    EXPECT_EQ(written.error().kind, ErrorKind::kSystem);
    EXPECT_TRUE(bytes() == before);
    expect_no_leftovers();
  }
  EXPECT_EQ(bytes_of_removed_files(), 0U) << "held open, they keep the disk full";
  // And the library is still good for another file.
  ASSERT_TRUE(write(records));
  EXPECT_TRUE(same(read(), records));
}

TEST_F(ResultsFileTest, InAMissingFolderIsASystemError) {
  path_ = folder_.file("absent/run.h5");
  const Status written = write(example_records());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kSystem);
  EXPECT_EQ(written.error().file, path_);
}

TEST_F(ResultsFileTest, ThatIsAbsentEmptyOrForeignIsAnInputError) {
  expect_input_error(check(), "No such file");
  ASSERT_TRUE(write_text(path_, ""));
  expect_input_error(check(), "empty");
  ASSERT_TRUE(write_text(path_, "PK\x03\x04 not HDF5 at all"));
  expect_input_error(check(), "not HDF5");
  ASSERT_TRUE(create_hdf5_file(path_));
  expect_input_error(check(), "not a ptxbatch results file");
}

TEST_F(ResultsFileTest, CutOffAnywhereIsAnInputError) {
  ASSERT_TRUE(write(example_records()));
  const std::string whole = bytes();
  for (std::size_t part = 1; part < 16; ++part) {
    ASSERT_TRUE(write_text(path_, whole.substr(0, whole.size() * part / 16)));
    expect_input_error(check(), "");
  }
}

TEST_F(ResultsFileTest, OfANewerSchemaIsRefused) {
  ASSERT_TRUE(write(example_records()));
  change([](hid_t file) {
    H5Adelete(file, "schema_version");
    ASSERT_TRUE(write_attribute(file, "schema_version", kSchemaVersion + 1));
  });
  expect_input_error(check(), "schema version 2");
}

TEST_F(ResultsFileTest, WithATableMissingIsAnInputErrorThatNamesIt) {
  for (const char* name : {schema::kTurns, schema::kTexts, schema::kTextBytes, schema::kTimings,
                           schema::kExperimentText, schema::kTrajectories, schema::kCauses}) {
    ASSERT_TRUE(write(example_records()));
    change([&](hid_t file) { ASSERT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0); });
    const QuietHdf5Errors quiet;
    expect_input_error(check(), "");
  }
}

// All of the file is under checksums, or not used: a flipped bit is an error or of no effect.
TEST_F(ResultsFileTest, WithAFlippedBitNeverCrashesAndNeverGivesAnotherRecord) {
  const auto records = example_records();
  ASSERT_TRUE(write(records));
  const std::string whole = bytes();
  constexpr std::size_t kStride = 41;  // each byte would take minutes
  std::size_t noticed = 0;
  for (std::size_t at = 0; at < whole.size(); at += kStride) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    ASSERT_TRUE(write_text(path_, flipped));
    std::vector<Record> read;
    const Status status = read_results_file(path_, [&read](Record&& record) -> Status {
      read.push_back(std::move(record));
      return {};
    });
    if (!status) ++noticed;
    EXPECT_TRUE(!status || same(read, records)) << "byte " << at;
  }
  EXPECT_GT(noticed, 0U);
}

}  // namespace
}  // namespace ptxbatch
