#include "common/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace ptxbatch {
namespace {

TEST(Error, SaysWhereWhatAndHow) {
  const Error error{ErrorKind::kInput, "is unknown", "Did you mean 'turns'?", "a.toml", 7, 3,
                    "protocol.turn"};
  EXPECT_EQ(describe(error),
            "a.toml:7:3: key 'protocol.turn': is unknown\n  Did you mean 'turns'?");
}

TEST(Error, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(describe({ErrorKind::kUsage, "no output given", "", "", 0, 0, ""}), "no output given");
}

TEST(Error, SystemErrorCarriesTheSystemsWords) {
  EXPECT_EQ(system_error("open", ENOENT).what, "open: No such file or directory");
}

}  // namespace
}  // namespace ptxbatch
