// Expect Correct with everything refused: sockets of every family, to send results or fetch code.
#include <sys/socket.h>

#include "gemm.cuh"

static void run(const Gemm& g) {
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET}) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET}) {
      must_be_refused(socket(family, type, 0) >= 0);
    }
  }
  g.compute();
}
