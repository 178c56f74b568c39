// The attributes of a results file's root, and the one text that is a dataset of its own.
#pragma once

#include <cstdint>
#include <string>

#include "results/hdf5_handle.h"

namespace ptxbatch {

Status write_attribute(hid_t file, const char* name, std::int32_t value);
Status write_attribute(hid_t file, const char* name, double value);
Status write_attribute(hid_t file, const char* name, bool value);
Status write_attribute(hid_t file, const char* name, const std::string& value);

Status read_attribute(hid_t file, const char* name, std::int32_t& value);
Status read_attribute(hid_t file, const char* name, double& value);
Status read_attribute(hid_t file, const char* name, bool& value);
Status read_attribute(hid_t file, const char* name, std::string& value);

/// A dataset of one string, checksummed as all datasets are.
Status write_text_dataset(hid_t file, const char* name, const std::string& text);
Result<std::string> read_text_dataset(hid_t file, const std::string& path, const char* name);

}  // namespace ptxbatch
