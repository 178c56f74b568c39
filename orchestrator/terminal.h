// What is known of the terminal behind a descriptor.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <optional>

namespace ptxbatch {

/// Its width; nothing when the descriptor is not a terminal.
inline std::optional<std::size_t> terminal_columns(int fd) {
  if (::isatty(fd) == 0) return std::nullopt;
  constexpr std::size_t kUsual = 80;
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsual;
}

}  // namespace ptxbatch
