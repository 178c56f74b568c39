// What is known of the terminal behind a descriptor.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <optional>

namespace ptxbatch {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// Nothing when the descriptor is not a terminal.
inline std::optional<TerminalSize> terminal_size(int fd) {
  if (::isatty(fd) == 0) return std::nullopt;
  TerminalSize result;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) return result;
  if (size.ws_col > 0) result.columns = size.ws_col;
  if (size.ws_row > 1) result.rows = size.ws_row;
  return result;
}

/// Its width; nothing when the descriptor is not a terminal.
inline std::optional<std::size_t> terminal_columns(int fd) {
  const auto size = terminal_size(fd);
  if (!size) return std::nullopt;
  return size->columns;
}

}  // namespace ptxbatch
