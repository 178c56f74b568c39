// The journal against crashes (cut files) and damage (flipped bits).
#include "results/journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "results/journal_frames.h"
#include "results/record_codec.h"
#include "tests/results/example_records.h"
#include "tests/support/failing_file_system.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

class JournalTest : public testing::Test {
 protected:
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string bytes() const { return read_text(path_).value(); }
  void set_bytes(std::string_view bytes) const {
    ASSERT_TRUE(write_text(path_, bytes)) << "cannot write " << path_;
  }

  JournalWriter open(std::uint64_t good_bytes = 0) {
    auto writer = JournalWriter::open(files_, path_, good_bytes);
    if (!writer) throw std::runtime_error(describe(writer.error()));
    return std::move(*writer);
  }

  /// Writes these records and returns the offset at which each begins, and the end.
  std::vector<std::uint64_t> write(const std::vector<Record>& records) {
    JournalWriter writer = open();
    std::vector<std::uint64_t> offsets;
    for (const Record& record : records) {
      offsets.push_back(writer.size_bytes());
      EXPECT_TRUE(writer.append(record));
    }
    EXPECT_TRUE(writer.sync());
    offsets.push_back(writer.size_bytes());
    return offsets;
  }

  struct Scan {
    Result<JournalScan> result;
    std::vector<Record> records;
  };
  [[nodiscard]] Scan scan() const {
    Scan scan{JournalScan{}, {}};
    scan.result = read_journal(path_, [&scan](Record&& record) -> Status {
      scan.records.push_back(std::move(record));
      return {};
    });
    return scan;
  }

  TestFolder folder_;
  FailingFileSystem files_;

 private:
  std::string path_ = folder_.file("run.h5.journal");
};

std::vector<Record> first(std::vector<Record> records, std::size_t count) {
  records.resize(count);
  return records;
}

TEST_F(JournalTest, GivesBackAllRecordsInOrder) {
  for (const auto& records : {example_records(), hard_records()}) {
    const auto offsets = write(records);
    const Scan read = scan();
    ASSERT_TRUE(read.result) << describe(read.result.error());
    EXPECT_TRUE(same(read.records, records));
    EXPECT_EQ(read.result->records, records.size());
    EXPECT_EQ(read.result->good_bytes, offsets.back());
    EXPECT_EQ(read.result->torn_bytes, 0U);
  }
}

TEST_F(JournalTest, CutAnywhereInItsLastThreeRecordsLosesOnlyWhatIsCut) {
  const auto records = example_records();
  const auto offsets = write(records);
  const std::string whole = bytes();
  for (std::size_t kept = records.size() - 3; kept < records.size(); ++kept) {
    for (std::uint64_t size = offsets[kept]; size < offsets[kept + 1]; ++size) {
      set_bytes(std::string_view(whole).substr(0, size));
      const Scan read = scan();
      ASSERT_TRUE(read.result) << "cut at " << size << ": " << describe(read.result.error());
      ASSERT_TRUE(same(read.records, first(records, kept))) << "cut at " << size;
      ASSERT_EQ(read.result->good_bytes, offsets[kept]);
      ASSERT_EQ(read.result->torn_bytes, size - offsets[kept]);
    }
  }
}

TEST_F(JournalTest, CutInItsHeaderIsEmpty) {
  write({});
  const std::string header = bytes();
  ASSERT_EQ(header.size(), kJournalHeaderBytes);
  for (std::size_t size = 0; size < header.size(); ++size) {
    set_bytes(header.substr(0, size));
    const Scan read = scan();
    ASSERT_TRUE(read.result) << "cut at " << size;
    EXPECT_EQ(read.result->good_bytes, 0U);
    EXPECT_EQ(read.result->torn_bytes, size);
  }
}

TEST_F(JournalTest, OfUnwrittenBlocksIsEmpty) {
  set_bytes(std::string(kJournalHeaderBytes, '\0'));
  const Scan read = scan();
  ASSERT_TRUE(read.result) << describe(read.result.error());
  EXPECT_EQ(read.result->good_bytes, 0U);
}

TEST_F(JournalTest, GoesOnBehindTheLastGoodRecordAfterATornTail) {
  const auto records = example_records();
  const auto offsets = write(records);
  const std::string whole = bytes();
  set_bytes(whole.substr(0, whole.size() - 1));
  const Scan torn = scan();
  ASSERT_TRUE(torn.result);
  {
    JournalWriter writer = open(torn.result->good_bytes);
    EXPECT_EQ(writer.size_bytes(), offsets[records.size() - 1]);
    ASSERT_TRUE(writer.append(records.back()));
    ASSERT_TRUE(writer.sync());
  }
  EXPECT_TRUE(bytes() == whole);
}

TEST_F(JournalTest, StartsAnewInPlaceOfATornHeader) {
  set_bytes("PTXB");
  const auto records = example_records();
  write(records);
  EXPECT_TRUE(same(scan().records, records));
}

// A flipped bit may cost the last record (it cannot be told from a torn write) and is then counted
// as torn bytes; anywhere else it is an error. Never may a record vanish or change in silence.
TEST_F(JournalTest, WithABitFlippedNeverLosesARecordInSilence) {
  const auto records = example_records();
  const auto offsets = write(records);
  const std::uint64_t last_start = offsets[records.size() - 1];
  const std::string whole = bytes();
  const auto is_framing = [&offsets](std::uint64_t at) {
    if (at < kJournalHeaderBytes) return true;
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), at);
    return at - *(next - 1) < kFrameHeaderBytes;
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (!is_framing(at) && bit != at % 8) continue;  // of a payload one bit a byte will do
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      set_bytes(flipped);
      const Scan read = scan();
      ASSERT_TRUE(same(read.records, first(records, read.records.size()))) << at << "." << bit;
      if (at < last_start) {
        ASSERT_FALSE(read.result) << "byte " << at << ", bit " << bit;
        EXPECT_EQ(read.result.error().kind, ErrorKind::kInput);
        EXPECT_EQ(read.result.error().file, path());
      } else {
        ASSERT_TRUE(read.result) << "byte " << at << ", bit " << bit;
        EXPECT_EQ(read.result->records, records.size() - 1);
        EXPECT_EQ(read.result->torn_bytes, whole.size() - last_start);
      }
    }
  }
}

TEST_F(JournalTest, DamageInTheMiddleIsAnErrorThatNamesItsOffset) {
  const auto offsets = write(example_records());
  std::string damaged = bytes();
  damaged[offsets[3] + kFrameHeaderBytes + 5] ^= 0x20;
  set_bytes(damaged);
  const Scan read = scan();
  ASSERT_FALSE(read.result);
  EXPECT_NE(read.result.error().what.find("byte " + std::to_string(offsets[3])), std::string::npos);
  EXPECT_NE(read.result.error().what.find("byte " + std::to_string(offsets[4])), std::string::npos);
  EXPECT_TRUE(bytes() == damaged);
}

// Its length would run past the end of the file, which alone would look like a torn tail.
TEST_F(JournalTest, AFlippedHighBitOfALengthInTheMiddleIsNotTakenForATornTail) {
  const auto offsets = write(example_records());
  std::string damaged = bytes();
  damaged[offsets[2] + 7] ^= 0x04;  // + 64 MiB
  set_bytes(damaged);
  EXPECT_FALSE(scan().result);
}

TEST_F(JournalTest, DamageIsFoundWhenTheNextGoodFrameIsMegabytesAway) {
  EventRecord large;
  large.message.assign(5U << 20U, 'x');
  const auto offsets = write({large, large, EventRecord{}});
  std::string damaged = bytes();
  damaged[offsets[1]] ^= 1;
  set_bytes(damaged);
  const Scan read = scan();
  ASSERT_FALSE(read.result);
  EXPECT_NE(read.result.error().what.find(std::to_string(offsets[2])), std::string::npos);
}

TEST_F(JournalTest, AFrameInsideATornRecordsTextIsNotTakenForAGoodFrame) {
  write({});
  EventRecord holds_a_frame;
  append_frame(holds_a_frame.message, 0x12345678, encode_record(EventRecord{}));
  holds_a_frame.message += std::string(100, '.');
  write({EventRecord{}, holds_a_frame});
  const std::string whole = bytes();
  set_bytes(whole.substr(0, whole.size() - 10));
  const Scan read = scan();
  ASSERT_TRUE(read.result) << describe(read.result.error());
  EXPECT_EQ(read.result->records, 1U);
}

TEST_F(JournalTest, OfANewerVersionIsRefused) {
  set_bytes(make_journal_header(1, kJournalVersion + 1));
  const Scan read = scan();
  ASSERT_FALSE(read.result);
  EXPECT_EQ(read.result.error().kind, ErrorKind::kInput);
  EXPECT_NE(read.result.error().what.find("version 2"), std::string::npos);
}

TEST_F(JournalTest, WithADamagedHeaderIsRefused) {
  write(example_records());
  std::string damaged = bytes();
  damaged[12] ^= 1;  // in the marker
  set_bytes(damaged);
  EXPECT_FALSE(scan().result);
}

TEST_F(JournalTest, ThatIsAnotherKindOfFileIsRefused) {
  set_bytes("# my notes, which are longer than a header\n");
  const Scan read = scan();
  ASSERT_FALSE(read.result);
  EXPECT_EQ(read.result.error().kind, ErrorKind::kInput);
  EXPECT_EQ(read.result.error().file, path());
  set_bytes("notes");
  EXPECT_FALSE(scan().result) << "too short for a header, but no part of one";
}

TEST_F(JournalTest, ThatIsAbsentIsAnErrorThatNamesIt) {
  const Scan read = scan();
  ASSERT_FALSE(read.result);
  EXPECT_EQ(read.result.error().file, path());
}

TEST_F(JournalTest, StopsAtTheFirstErrorOfTheVisitor) {
  write(example_records());
  int seen = 0;
  const auto result = read_journal(path(), [&seen](Record&&) -> Status {
    if (++seen == 3) return fail(ErrorKind::kConflict, "enough");
    return {};
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(seen, 3);
}

TEST_F(JournalTest, OnAFullDiskKeepsWhatWasWrittenAndTakesNoMore) {
  const auto records = example_records();
  {
    JournalWriter writer = open();
    ASSERT_TRUE(writer.append(records[0]));
    ASSERT_TRUE(writer.sync());
    files_.append_room_bytes = 7;
    const Status full = writer.append(records[1]);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().kind, ErrorKind::kSystem);
    files_.append_room_bytes.reset();
    EXPECT_FALSE(writer.append(records[1])) << "behind half a record nothing may follow";
  }
  const Scan read = scan();
  ASSERT_TRUE(read.result) << describe(read.result.error());
  EXPECT_TRUE(same(read.records, first(records, 1)));
  EXPECT_EQ(read.result->torn_bytes, 7U);
}

TEST_F(JournalTest, AfterAFailedSyncTakesNoMore) {
  JournalWriter writer = open();
  ASSERT_TRUE(writer.append(EventRecord{}));
  files_.fail_sync = true;
  EXPECT_FALSE(writer.sync());
  files_.fail_sync = false;
  EXPECT_FALSE(writer.append(EventRecord{}));
}

TEST_F(JournalTest, CannotBeOpenedBehindItsEnd) {
  const auto offsets = write(example_records());
  const auto writer = JournalWriter::open(files_, path(), offsets.back() + 1);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().kind, ErrorKind::kConflict);
}

}  // namespace
}  // namespace ptxbatch
