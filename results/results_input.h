// A results file opened for reading: checked to be one, and of a schema that we know.
#pragma once

#include <memory>
#include <string>

#include "results/hdf5_attributes.h"
#include "results/hdf5_handle.h"

namespace ptxbatch {

class ResultsInput {
 public:
  /// kInput, naming the file and what is wrong with it, when it is not a readable results file.
  static Result<ResultsInput> open(const std::string& path);

  [[nodiscard]] hid_t id() const { return file_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Error error(std::string what) const;

  template <class T>
  Result<T> attribute(const char* name) const {
    T value{};
    if (auto read = read_attribute(file_.get(), name, value); !read) {
      return fail(error("attribute " + std::string(name) + ": " + read.error().what));
    }
    return value;
  }

 private:
  ResultsInput(Hdf5Handle file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}
  [[nodiscard]] Status check_schema() const;

  // The file is closed strongly, so nothing read from it outlives this. Declared in this order, the
  // library stays quiet until the last handle is gone.
  std::unique_ptr<QuietHdf5Errors> quiet_ = std::make_unique<QuietHdf5Errors>();
  Hdf5Handle file_;
  std::string path_;
};

}  // namespace ptxbatch
