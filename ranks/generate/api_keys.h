// The keys of model endpoints: taken out of the environment once, before anything is started that
// would inherit them, and shown to nobody but the HTTP header that needs them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/experiment.h"

namespace ptxbatch {

class ApiKeys {
 public:
  /// Takes the variables that the models name: they are no longer in the environment afterwards.
  /// Not thread-safe: getenv and setenv are not.
  static ApiKeys take_from_environment(const std::vector<ModelSpec>& models);

  /// nullptr when the variable was not set, or held nothing that can be a key.
  [[nodiscard]] const std::string* find(const std::string& variable) const;

  /// `text` with every key replaced by "[key]": servers repeat in errors what they were sent.
  [[nodiscard]] std::string redact(std::string_view text) const;

 private:
  /// Of the longest key that `text` begins with; 0 when it begins with none.
  [[nodiscard]] std::size_t key_length_at_begin(std::string_view text) const;

  std::map<std::string, std::string> keys_;  // by variable
};

}  // namespace ptxbatch
