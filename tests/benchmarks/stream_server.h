// A process of its own that answers many requests at a time with slow event streams: the other end
// of the stream benchmark, so that its CPU does not count.
#pragma once

#include <sys/types.h>

namespace ptxbatch {

struct StreamServer {
  pid_t pid = -1;
  int port = 0;
};

/// Forks; to be called before there are threads. Once `streams` requests have come, each gets
/// `events_per_second` events for `seconds`, then its end. Ends itself afterwards.
StreamServer start_stream_server(int streams, int events_per_second, int seconds);

}  // namespace ptxbatch
