// What Slurm says of a job, and what a stop signal makes of the time that is left.
#include "orchestrator/allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orchestrator/stop_policy.h"

namespace ptxbatch {
namespace {

using testing::HasSubstr;

TEST(Allocation, the_time_left_is_read_in_all_of_slurms_forms) {
  EXPECT_EQ(parse_time_left("0:59"), 59);
  EXPECT_EQ(parse_time_left("10:00"), 600);
  EXPECT_EQ(parse_time_left("1:02:03"), 3723);
  EXPECT_EQ(parse_time_left("2-00:00:01"), 172801);
  for (const char* none : {"UNLIMITED", "INVALID", "NOT_SET", "", "12", "a:b", "1:2:3:4", ":"}) {
    EXPECT_FALSE(parse_time_left(none)) << none;
  }
}

TEST(Allocation, processes_that_mpi_did_not_join_are_refused) {
  EXPECT_TRUE(check_launch(std::nullopt, 1));
  EXPECT_TRUE(check_launch(StepFacts{1, 0}, 1));
  EXPECT_TRUE(check_launch(StepFacts{9, 4}, 9));
  const Status alone = check_launch(StepFacts{9, 4}, 1);
  ASSERT_FALSE(alone);
  EXPECT_THAT(describe(alone.error()), HasSubstr("srun started 9 processes"));
  EXPECT_THAT(describe(alone.error()), HasSubstr("--mpi=pmix"));
}

Deadline at(double seconds) {
  return Deadline() + duration_of(seconds);
}

double seconds(std::optional<Deadline> deadline) {
  return deadline ? in_seconds(*deadline - Deadline()) : -1;
}

constexpr double kLongestTurnS = 4000;

TEST(StopPolicy, nothing_stops_without_a_request) {
  StopPolicy unlimited(std::nullopt, kLongestTurnS);
  EXPECT_FALSE(unlimited.update({}, at(1e6)));
  StopPolicy limited(at(10000), kLongestTurnS);
  EXPECT_FALSE(limited.update({}, at(9000)));
}

TEST(StopPolicy, usr1_leaves_turns_until_shortly_before_the_end) {
  StopPolicy policy(at(1000), kLongestTurnS);
  EXPECT_EQ(seconds(policy.update({1, 0, 0}, at(400))), 970);
  EXPECT_FALSE(policy.update({2, 0, 0}, at(410)));  // the same again changes nothing
  StopPolicy far_end(at(1e6), kLongestTurnS);
  EXPECT_EQ(seconds(far_end.update({1, 0, 0}, at(100))), 4100);
}

TEST(StopPolicy, term_is_over_before_the_batch_system_kills) {
  StopPolicy policy(at(1000), kLongestTurnS);
  EXPECT_EQ(seconds(policy.update({0, 1, 0}, at(100))), 112);
}

TEST(StopPolicy, the_earliest_deadline_holds_in_any_order) {
  StopPolicy usr1_first(at(1000), kLongestTurnS);
  EXPECT_EQ(seconds(usr1_first.update({1, 0, 0}, at(100))), 970);
  EXPECT_EQ(seconds(usr1_first.update({1, 1, 0}, at(200))), 212);
  EXPECT_FALSE(usr1_first.update({2, 2, 0}, at(205)));
  StopPolicy term_first(at(1000), kLongestTurnS);
  EXPECT_EQ(seconds(term_first.update({0, 1, 0}, at(200))), 212);
  EXPECT_FALSE(term_first.update({1, 1, 0}, at(201)));
}

TEST(StopPolicy, a_second_interrupt_does_not_wait) {
  StopPolicy policy(std::nullopt, kLongestTurnS);
  EXPECT_EQ(seconds(policy.update({0, 0, 1}, at(100))), 130);
  EXPECT_EQ(seconds(policy.update({0, 0, 2}, at(105))), 105);
}

TEST(StopPolicy, the_end_of_the_allocation_stops_a_run_that_no_signal_warned) {
  StopPolicy policy(at(1000), kLongestTurnS);
  EXPECT_FALSE(policy.update({}, at(939)));
  EXPECT_EQ(seconds(policy.update({}, at(940))), 970);
  EXPECT_FALSE(policy.update({}, at(950)));
}

TEST(StopPolicy, a_request_after_the_last_moment_means_now) {
  StopPolicy policy(at(1000), kLongestTurnS);
  EXPECT_EQ(seconds(policy.update({1, 0, 0}, at(990))), 990);
}

}  // namespace
}  // namespace ptxbatch
