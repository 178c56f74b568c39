// What a command may write to, and how: never over what it reads, never over results, and whole or
// not at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace ptxbatch {

/// Refuses (kUsage) what cannot be the name of a file (nothing, a folder) and a file that is one of
/// `inputs`, under whatever name.
Status check_output(const std::string& path, const std::vector<std::string>& inputs);

/// The same for a text; an HDF5 file or a journal is never replaced by one.
Status check_text_output(const std::string& path, const std::vector<std::string>& inputs);

/// Makes the folders that the file is to stand in.
Status make_folder_for(const std::string& path);

/// Puts a text in place of what the file holds, which it keeps until the whole text is there.
Status write_output(const std::string& path, std::string_view text);

}  // namespace ptxbatch
