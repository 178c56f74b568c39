// A rank's scratch folder: binaries, keepers' and candidates' files. Under TMPDIR (or /tmp), and
// named after its process, so that what a killed process left behind is swept by the next one.
#pragma once

#include "common/error.h"
#include "common/scratch_folder.h"

namespace ptxbatch {

Result<ScratchFolder> make_rank_scratch(int rank);

}  // namespace ptxbatch
