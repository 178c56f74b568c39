// Signs of life between the coordinator and a rank. Each side has a heart: a thread that does
// nothing but beat, so that no stage of the work, no slow file system and no waiting can keep it
// from saying that its process lives.
//
// Silence is counted in beats of the listener's own, not read off a clock: a listener that was
// stopped itself, or that a busy machine held up, has heard nothing either, and must first look at
// what arrived meanwhile.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ptxbatch {

/// So many of the listener's beats without a sign make the silence of `rank.silence_s`.
inline constexpr int kBeatsOfSilence = 8;

/// A thread that calls `beat` at intervals until it is destroyed.
class Heart {
 public:
  /// An interval of 0: it stands still until it is given another.
  Heart(double interval_s, std::function<void()> beat);
  ~Heart();
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

  /// From any thread but the heart's own.
  void set_interval(double interval_s);

 private:
  void run();

  std::function<void()> beat_;
  std::mutex mutex_;
  std::condition_variable changed_;
  double interval_s_;
  bool interval_changed_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

/// A rank's ear for its coordinator, and its own heart.
class CoordinatorWatch {
 public:
  /// `beat` sends a sign of life; `lost` is called once, from the heart's thread, when the
  /// coordinator has been silent for too long.
  CoordinatorWatch(double silence_s, std::function<void()> beat, std::function<void()> lost);

  /// Something came from the coordinator. From any thread.
  void heard();
  void set_silence(double silence_s) { heart_.set_interval(silence_s / kBeatsOfSilence); }

 private:
  void tick();

  std::function<void()> beat_;
  std::function<void()> lost_;
  std::mutex mutex_;
  int silent_beats_ = 0;
  Heart heart_;  // last: its thread uses the others
};

}  // namespace ptxbatch
