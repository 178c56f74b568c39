# cmake -DGIT=git -DSOURCE=folder -DVERSION=1.2.3 -DOUTPUT=version.cpp -P write_version.cmake
# Leaves OUTPUT alone when it says so already: nothing is compiled and linked anew then.
set(commit "")
# Unpacked from an archive the source may stand in somebody else's repository.
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} describe --always --exclude=* --dirty --abbrev=12
                  WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "common/version.h"

namespace ptxbatch {

const char* const kVersion = "@VERSION@";
const char* const kGitCommit = "@commit@";

}  // namespace ptxbatch
]] @ONLY)
