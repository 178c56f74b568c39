// What can be read of a cut or damaged journal: all but what the damage hit, and where it lies.
#include "results/journal_salvage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "results/journal.h"
#include "results/journal_frames.h"
#include "tests/results/example_records.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

class JournalSalvageTest : public testing::Test {
 protected:
  void SetUp() override {
    auto writer = JournalWriter::open(real_file_system(), path_, 0);
    ASSERT_TRUE(writer);
    for (const Record& record : records_) {
      offsets_.push_back(writer->size_bytes());
      ASSERT_TRUE(writer->append(record));
    }
    ASSERT_TRUE(writer->sync());
    offsets_.push_back(writer->size_bytes());
    whole_ = read_text(path_).value();
  }

  struct Found {
    Result<JournalSalvage> salvage;
    std::vector<Record> records;
  };
  [[nodiscard]] Found salvage(const std::string& bytes) const {
    EXPECT_TRUE(write_text(path_, bytes));
    Found found{JournalSalvage{}, {}};
    found.salvage = salvage_journal(path_, {[&](std::uint64_t, Result<Record>&& record) -> Status {
                                              if (record) found.records.push_back(*record);
                                              return {};
                                            },
                                            [](ByteRange) -> Status { return {}; }});
    return found;
  }
  [[nodiscard]] std::vector<Record> without(std::size_t lost) const {
    std::vector<Record> rest = records_;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(lost));
    return rest;
  }
  [[nodiscard]] std::vector<Record> first(std::size_t count) const {
    std::vector<Record> kept = records_;
    kept.resize(count);
    return kept;
  }
  /// Which record the byte belongs to.
  [[nodiscard]] std::size_t record_at(std::uint64_t byte) const {
    const auto next = std::upper_bound(offsets_.begin(), offsets_.end(), byte);
    return static_cast<std::size_t>(next - offsets_.begin()) - 1;
  }

  TestFolder folder_;
  std::string path_ = folder_.file("run.h5.journal");
  std::vector<Record> records_ = example_records();
  std::vector<std::uint64_t> offsets_;
  std::string whole_;
};

TEST_F(JournalSalvageTest, OfAWholeJournalGivesEveryRecord) {
  const Found found = salvage(whole_);
  ASSERT_TRUE(found.salvage);
  EXPECT_TRUE(same(found.records, records_));
  EXPECT_TRUE(found.salvage->damaged.empty());
  EXPECT_EQ(found.salvage->tail.size(), 0U);
}

// One bit of each byte, a random one.
TEST_F(JournalSalvageTest, WithABitFlippedAnywhereLosesOnlyThatRecordAndSaysWhere) {
  std::minstd_rand random(1);
  for (std::size_t at = 0; at < whole_.size(); ++at) {
    std::string flipped = whole_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1U << random() % 8));
    const Found found = salvage(flipped);
    ASSERT_TRUE(found.salvage) << "byte " << at << ": " << describe(found.salvage.error());
    if (at < kJournalHeaderBytes) {
      EXPECT_TRUE(found.salvage->header_damaged) << "byte " << at;
      ASSERT_TRUE(same(found.records, records_)) << "byte " << at;
      continue;
    }
    const std::size_t hit = record_at(at);
    ASSERT_TRUE(same(found.records, without(hit))) << "byte " << at;
    const ByteRange lost{offsets_[hit], offsets_[hit + 1]};
    if (hit + 1 == records_.size()) {
      EXPECT_EQ(found.salvage->tail, lost) << "byte " << at;
      EXPECT_TRUE(found.salvage->damaged.empty());
    } else {
      EXPECT_EQ(found.salvage->damaged, std::vector<ByteRange>{lost}) << "byte " << at;
    }
  }
}

TEST_F(JournalSalvageTest, CutAnywhereGivesTheWholeRecordsBeforeTheCut) {
  for (std::size_t size = kJournalHeaderBytes + 1; size < whole_.size(); ++size) {
    const Found found = salvage(whole_.substr(0, size));
    const std::size_t kept = record_at(size);
    ASSERT_TRUE(found.salvage) << "cut at " << size << ": " << describe(found.salvage.error());
    ASSERT_TRUE(same(found.records, first(kept)));
    EXPECT_EQ(found.salvage->tail, (ByteRange{offsets_[kept], size}));
    EXPECT_FALSE(found.salvage->tail_may_be_damage);
  }
}

TEST_F(JournalSalvageTest, TellsATailThatWasCutFromOneThatMayBeDamaged) {
  const auto last = static_cast<std::ptrdiff_t>(offsets_[records_.size() - 1]);
  std::string flipped = whole_;
  flipped.back() ^= 1;  // of full length, so it may have been synced
  EXPECT_TRUE(salvage(flipped).salvage->tail_may_be_damage);
  std::string unmarked = whole_;
  unmarked[static_cast<std::size_t>(last)] ^= 1;  // no append begins so
  EXPECT_TRUE(salvage(unmarked).salvage->tail_may_be_damage);
  std::string unwritten = whole_;
  std::fill(unwritten.begin() + last, unwritten.end(), '\0');  // blocks that were never filled
  EXPECT_FALSE(salvage(unwritten).salvage->tail_may_be_damage);
}

TEST_F(JournalSalvageTest, WithAHoleOfManyRecordsGoesOnBehindIt) {
  std::string holed = whole_;
  std::fill(holed.begin() + static_cast<std::ptrdiff_t>(offsets_[2] + 3),
            holed.begin() + static_cast<std::ptrdiff_t>(offsets_[5] + 1), '\0');
  const Found found = salvage(holed);
  ASSERT_TRUE(found.salvage);
  EXPECT_EQ(found.salvage->damaged, (std::vector<ByteRange>{{offsets_[2], offsets_[6]}}));
  EXPECT_EQ(found.records.size(), records_.size() - 4);
}

TEST_F(JournalSalvageTest, OfWhatIsNoJournalIsAnErrorThatNamesIt) {
  const Found found = salvage(std::string(4096, 'x'));
  ASSERT_FALSE(found.salvage);
  EXPECT_EQ(found.salvage.error().file, path_);
}

}  // namespace
}  // namespace ptxbatch
