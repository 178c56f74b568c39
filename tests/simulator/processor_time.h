// Processor time of the calling thread: what work costs, however busy the machine is.
#pragma once

#include <ctime>

namespace ptxbatch {

inline double processor_time_s() {
  constexpr double kNanosecond = 1e-9;
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + kNanosecond * static_cast<double>(time.tv_nsec);
}

}  // namespace ptxbatch
