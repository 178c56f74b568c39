#include "common/error.h"

#include <system_error>

namespace ptxbatch {

Error system_error(const std::string& what, int error_number, std::string hint) {
  Error error;
  error.kind = ErrorKind::kSystem;
  error.what = what + ": " + std::generic_category().message(error_number);
  error.hint = std::move(hint);
  return error;
}

std::string describe(const Error& error) {
  std::string text;
  if (!error.file.empty()) {
    text += error.file;
    if (error.line > 0) text += ":" + std::to_string(error.line);
    if (error.line > 0 && error.column > 0) text += ":" + std::to_string(error.column);
    text += ": ";
  }
  if (!error.key.empty()) text += "key '" + error.key + "': ";
  text += error.what;
  if (!error.hint.empty()) text += "\n  " + error.hint;
  return text;
}

}  // namespace ptxbatch
