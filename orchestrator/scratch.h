// A rank's scratch folder: binaries, keepers' and candidates' files. Under TMPDIR (or /tmp), by
// machine and process, so that what a killed process left behind is swept by the next one there.
// TMPDIR may be shared by hosts and containers, whose processes nobody else can know to be gone.
#pragma once

#include <string>

#include "common/error.h"
#include "common/scratch_folder.h"
#include "results/lock_holder.h"

namespace ptxbatch {

Result<ScratchFolder> make_rank_scratch(int rank);

/// "HOST.BOOT.NAMESPACE": where process ids mean the same processes.
std::string process_space(const LockHolder& here);

/// Removes what ended processes of this process space left below `root`, and what is of an earlier
/// boot of this host; nothing of others.
void sweep_abandoned(const std::string& root, const LockHolder& here);

}  // namespace ptxbatch
