#include "common/message_queue.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace ptxbatch {
namespace {

TEST(MessageQueue, KeepsOrder) {
  MessageQueue<int> queue;
  queue.push(1);
  queue.push(2);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
}

TEST(MessageQueue, EveryItemReachesOneReader) {
  MessageQueue<int> queue;
  constexpr int kItems = 2000;
  std::mutex mutex;
  std::multiset<int> seen;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (const auto item = queue.pop()) {
        const std::lock_guard lock(mutex);
        seen.insert(*item);
      }
    });
  }
  for (int i = 0; i < kItems; ++i) queue.push(i);
  queue.close();
  for (std::thread& reader : readers) reader.join();
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(kItems));
  EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), static_cast<std::size_t>(kItems));
}

TEST(MessageQueue, CloseLetsReadersTakeWhatIsLeftAndThenEnds) {
  MessageQueue<int> queue;
  queue.push(1);
  queue.close();
  queue.push(2);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(MessageQueue, PopUntilGivesUpAtItsDeadline) {
  MessageQueue<int> queue;
  EXPECT_EQ(queue.pop_until(deadline_in(0.01)), std::nullopt);
}

}  // namespace
}  // namespace ptxbatch
