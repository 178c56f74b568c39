// Messages and descriptors between two ends of a channel.
#include "ranks/profile/channel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace ptxbatch {
namespace {

using ::testing::SizeIs;

class ChannelTest : public ::testing::Test {
 protected:
  ChannelTest() : ends_(std::move(Channel::make_pair().value())) {}
  std::pair<Channel, Channel> ends_;
};

TEST_F(ChannelTest, KeepsMessagesApartAndInOrder) {
  ASSERT_TRUE(ends_.first.send("one"));
  ASSERT_TRUE(ends_.first.send("two"));
  EXPECT_EQ(ends_.second.receive(100, 0).value()->bytes, "one");
  EXPECT_EQ(ends_.second.receive(100, 0).value()->bytes, "two");
}

TEST_F(ChannelTest, PassesDescriptorsThatAreClosedOnExec) {
  const UniqueFd null_fd(::open("/dev/null", O_RDWR));
  ASSERT_TRUE(ends_.first.send("here", {null_fd.get(), null_fd.get()}));
  const auto packet = ends_.second.receive(100, 2);
  ASSERT_TRUE(packet && *packet);
  ASSERT_THAT((*packet)->fds, SizeIs(2));
  struct stat sent {};
  struct stat received {};
  ASSERT_EQ(::fstat(null_fd.get(), &sent), 0);
  ASSERT_EQ(::fstat((*packet)->fds[1].get(), &received), 0);
  EXPECT_EQ(sent.st_rdev, received.st_rdev);
  EXPECT_EQ(::fcntl((*packet)->fds[1].get(), F_GETFD), FD_CLOEXEC);
}

TEST_F(ChannelTest, SaysWhenTheOtherEndIsClosed) {
  ASSERT_TRUE(ends_.first.send("last words"));
  ends_.first = Channel();
  EXPECT_EQ(ends_.second.receive(100, 0).value()->bytes, "last words");
  const auto closed = ends_.second.receive(100, 0);
  ASSERT_TRUE(closed);
  EXPECT_FALSE(*closed);
  EXPECT_FALSE(ends_.second.send("is anybody there"));
}

TEST_F(ChannelTest, RefusesAMessageThatIsTooLarge) {
  ASSERT_TRUE(ends_.first.send(std::string(101, 'x')));
  const auto refused = ends_.second.receive(100, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kProtocol);
}

TEST_F(ChannelTest, RefusesDescriptorsThatNobodyAskedFor) {
  const UniqueFd null_fd(::open("/dev/null", O_RDWR));
  ASSERT_TRUE(ends_.first.send("take this", {null_fd.get()}));
  EXPECT_FALSE(ends_.second.receive(100, 0));
}

TEST_F(ChannelTest, NeverWaitsForAPeerThatDoesNotRead) {
  Status sent;
  for (int i = 0; i < 100'000 && sent; ++i) sent = ends_.first.send(std::string(1000, 'x'));
  EXPECT_FALSE(sent);
}

}  // namespace
}  // namespace ptxbatch
