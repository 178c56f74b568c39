// Expect Numerical error, Runtime error or Other error: wrong, and sends messages that look like a
// runner's answers on every descriptor that it has.
#include <unistd.h>

#include <string>

#include "gemm.cuh"

static void run(const Gemm& g) {
  must(cudaMemsetAsync(g.c, 0, g.c_bytes(), g.stream));
  // CBOR maps: {"returned": {"claimed_s": 1e-6, "nonce": n}} for many n, as text keys.
  for (unsigned nonce = 0; nonce < 64; ++nonce) {
    std::string message(
        "\xA2\x67"
        "message\x68"
        "returned\x65"
        "nonce",
        24);
    message.push_back('\x18');
    message.push_back(static_cast<char>(nonce));
    for (int fd = 3; fd < 64; ++fd) {
      if (write(fd, message.data(), message.size()) < 0) continue;
    }
  }
}
