// Which request of a rank is sent next.
#include "ranks/request_queue.h"

#include <gtest/gtest.h>

namespace ptxbatch {
namespace {

ModelRequest request(int trajectory, int turn) {
  ModelRequest request;
  request.trajectory.index = trajectory;
  request.turn = turn;
  return request;
}

TEST(RequestQueue, TheTrajectoryThatHasComeFurthestGoesFirst) {
  RequestQueue queue;
  queue.push(request(0, 1));
  queue.push(request(1, 5));
  queue.push(request(2, 3));
  EXPECT_EQ(queue.pop()->trajectory.index, 1);
  EXPECT_EQ(queue.pop()->trajectory.index, 2);
  EXPECT_EQ(queue.pop()->trajectory.index, 0);
  EXPECT_FALSE(queue.pop());
}

TEST(RequestQueue, OfTheSameTurnTheFirstToAskGoesFirst) {
  RequestQueue queue;
  for (int i = 0; i < 3; ++i) queue.push(request(i, 2));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.pop()->trajectory.index, i);
}

}  // namespace
}  // namespace ptxbatch
