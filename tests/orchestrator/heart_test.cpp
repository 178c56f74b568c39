// Beats, and the silence of those who should beat.
#include "orchestrator/heart.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace ptxbatch {
namespace {

TEST(Heart, BeatsUntilItIsDestroyed) {
  std::promise<void> third;
  std::atomic<int> beats = 0;
  {
    const Heart heart(0.001, [&] {
      if (++beats == 3) third.set_value();
    });
    third.get_future().wait();
  }
  EXPECT_GE(beats, 3);
}

TEST(Heart, StandsStillUntilItIsGivenAnInterval) {
  std::promise<void> beaten;
  std::atomic<bool> once = false;
  Heart heart(0, [&] {
    if (!once.exchange(true)) beaten.set_value();
  });
  heart.set_interval(0.001);
  beaten.get_future().wait();
}

TEST(CoordinatorWatch, SaysOnceThatTheCoordinatorIsLost) {
  std::promise<void> lost;
  std::atomic<int> beats = 0;
  CoordinatorWatch watch(
      kBeatsOfSilence * 0.001, [&] { ++beats; }, [&] { lost.set_value(); });  // throws if twice
  lost.get_future().wait();
  EXPECT_GT(beats, kBeatsOfSilence);
}

TEST(CoordinatorWatch, HearsThatItLives) {
  std::promise<void> enough;
  std::atomic<int> beats = 0;
  std::atomic<bool> lost = false;
  CoordinatorWatch* listener = nullptr;
  std::promise<void> made;
  auto is_made = made.get_future().share();
  CoordinatorWatch watch(
      kBeatsOfSilence * 0.001,
      [&] {
        is_made.wait();
        listener->heard();
        if (++beats == 3 * kBeatsOfSilence) enough.set_value();
      },
      [&] { lost = true; });
  listener = &watch;
  made.set_value();
  enough.get_future().wait();
  EXPECT_FALSE(lost);
}

}  // namespace
}  // namespace ptxbatch
