// Which program this is. Defined in a file that every build brings up to date
// (cmake/write_version.cmake).
#pragma once

namespace ptxbatch {

extern const char* const kVersion;  // NOLINT(readability-identifier-naming): a constant
/// 12 digits, with "-dirty" behind them when files that git knows had been changed; "unknown" when
/// it was not built in a git repository.
extern const char* const kGitCommit;  // NOLINT(readability-identifier-naming): a constant

}  // namespace ptxbatch
