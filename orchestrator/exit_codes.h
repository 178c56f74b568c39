// What the program's exit codes mean; batch scripts rely on them.
#pragma once

namespace ptxbatch {

inline constexpr int kExitDone = 0;
inline constexpr int kExitError = 1;  // in use or input; nothing was run
// Finished, but some trajectories failed, or a check found what nothing explains.
inline constexpr int kExitWithFailures = 2;
inline constexpr int kExitResumable = 75;  // stopped early: the same command goes on from there

}  // namespace ptxbatch
