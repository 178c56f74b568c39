// Loaded before the C library (LD_PRELOAD): makes chosen system calls of an unchanged program fail,
// as a cluster's file systems do. Two variables of the environment say how:
//
//   FAILING_FLOCK=ERRNO                        every flock fails with this number
//   FAILING_CALL=CALL:ERRNO:NUMBER:SUFFIX      CALL (write, pwrite, fsync, rename, link) fails with
//                                              this number, from the NUMBER-th on (from 1), where
//                                              the file's name ends in SUFFIX; ERRNO 0: a write
//                                              writes one half, every time
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Fault {
  std::string call;
  int error_number = 0;
  int from = 0;
  std::string suffix;
};

const Fault& fault() {
  static const Fault parsed = [] {
    Fault fault;
    const char* text = std::getenv("FAILING_CALL");
    if (text == nullptr) return fault;
    std::array<char, 16> call{};
    std::array<char, 256> suffix{};
    if (std::sscanf(text, "%15[^:]:%d:%d:%255s", call.data(), &fault.error_number, &fault.from,
                    suffix.data()) == 4) {
      fault.call = call.data();
      fault.suffix = suffix.data();
    }
    return fault;
  }();
  return parsed;
}

bool strikes(const char* call, const std::string& path) {
  static std::atomic<int> calls = 0;
  const Fault& wanted = fault();
  if (wanted.call != call || !path.ends_with(wanted.suffix)) return false;
  return ++calls >= wanted.from;
}

std::string path_of(int fd) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : "";
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int failed() {
  errno = fault().error_number;
  return -1;
}

/// How much is to be written; nothing is to be an error.
std::size_t half_of(std::size_t count) {
  return count > 1 ? count / 2 : count;
}

}  // namespace

extern "C" {

int flock(int fd, int operation) noexcept {
  if (const char* number = std::getenv("FAILING_FLOCK"); number != nullptr) {
    errno = std::atoi(number);
    return -1;
  }
  return next<int (*)(int, int)>("flock")(fd, operation);
}

ssize_t write(int fd, const void* data, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (fault().call != "write" || !strikes("write", path_of(fd))) return real(fd, data, count);
  return fault().error_number != 0 ? failed() : real(fd, data, half_of(count));
}

ssize_t pwrite(int fd, const void* data, size_t count, off_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  if (fault().call != "pwrite" || !strikes("pwrite", path_of(fd))) {
    return real(fd, data, count, offset);
  }
  return fault().error_number != 0 ? failed() : real(fd, data, half_of(count), offset);
}

int fsync(int fd) {
  static const auto real = next<int (*)(int)>("fsync");
  return strikes("fsync", path_of(fd)) ? failed() : real(fd);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return strikes("rename", to) ? failed() : real(from, to);
}

int link(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("link");
  return strikes("link", to) ? failed() : real(from, to);
}
}
