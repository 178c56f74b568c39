// Expected failures as values. An Error says, as data, what went wrong, where in the user's input
// it stands, and how to put it right; text for people is made at the edge by describe().
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace ptxbatch {

enum class ErrorKind {
  kUsage,     // the command line
  kInput,     // an experiment file, a problem, a pack, a results file
  kSystem,    // the operating system refused: disk, permissions, a missing program
  kConflict,  // another writer, another experiment's output
  kProtocol,  // a message from another process that is not what was agreed
  kInternal,  // a fault of this program
};

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string what;  // one sentence, no full stop needed
  std::string hint;  // how to put it right; may be empty
  std::string file;  // the user's file at fault; may be empty
  int line = 0;      // 1-based; 0 when unknown
  int column = 0;    // 1-based; 0 when unknown
  std::string key;   // the key in that file, dotted: "protocol.turns"
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}
inline tl::unexpected<Error> fail(ErrorKind kind, std::string what, std::string hint = {}) {
  return fail(Error{kind, std::move(what), std::move(hint), {}, 0, 0, {}});
}

/// A kSystem error for the failed call `what`, with the text of `error_number` (errno) added.
Error system_error(const std::string& what, int error_number, std::string hint = {});

/// "FILE:LINE:COLUMN: key 'KEY': WHAT\n  HINT", leaving out what is unknown.
std::string describe(const Error& error);

}  // namespace ptxbatch
