// What may be added to a run that has begun, what is refused, and that nothing of what is there is
// renumbered or lost.
#include "orchestrator/experiment_extension.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "orchestrator/run_store.h"
#include "results/results_file.h"
#include "tests/orchestrator/opened_run.h"
#include "tests/orchestrator/run_records.h"
#include "tests/support/test_folder.h"

namespace ptxbatch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// An experiment as its file and its plan say it.
struct Wanted {
  std::vector<std::string> models = {"a"};
  std::vector<std::string> tags = {"base"};
  int replicas = 2;
  int turns = 1;
  std::string rest = "[budgets]\nevaluate_s = 10.0\n";

  [[nodiscard]] ExperimentRecord record() const {
    ExperimentRecord record;
    record.name = "small";
    record.turns = turns;
    record.target_speedup = 1.2;
    record.text = "name = \"small\"\nreplicas = " + std::to_string(replicas) + "\n";
    for (const std::string& model : models) {
      record.text += "[[models]]\nname = \"" + model + "\"\n";
      int number = 0;
      for (std::size_t block = 0; block < tags.size(); ++block) {
        for (int replica = 0; replica < replicas; ++replica) {
          record.trajectories.push_back(
              {static_cast<int>(record.trajectories.size()), "exp_00" + std::to_string(number++),
               model, "host", "GEMM", "gemm", "w", tags[block], static_cast<int>(block), replica});
        }
      }
    }
    for (const std::string& tag : tags) record.text += "[[prompts]]\ntag = \"" + tag + "\"\n";
    record.text += "[protocol]\nturns = " + std::to_string(turns) + "\n" + rest;
    return record;
  }
};

void expect_kept(const ExperimentRecord& before, const ExperimentExtension& after) {
  for (std::size_t i = 0; i < before.trajectories.size(); ++i) {
    EXPECT_EQ(after.experiment.trajectories.at(i), before.trajectories[i]);
  }
  for (std::size_t i = 0; i < after.experiment.trajectories.size(); ++i) {
    EXPECT_EQ(after.experiment.trajectories[i].index, static_cast<int>(i));
  }
}

TEST(ExperimentExtension, OfTheSameFileIsNone) {
  const auto same = extend_experiment(Wanted().record(), Wanted().record());
  ASSERT_TRUE(same);
  EXPECT_THAT(same->added, IsEmpty());
  EXPECT_EQ(same->experiment.trajectories, Wanted().record().trajectories);
}

TEST(ExperimentExtension, OfCommentsAndLayoutIsNone) {
  ExperimentRecord commented = Wanted().record();
  commented.text = "# for the record\ndescription = \"more\"\n\n" + commented.text;
  const auto same = extend_experiment(Wanted().record(), commented);
  ASSERT_TRUE(same) << describe(same.error());
  EXPECT_THAT(same->added, IsEmpty());
}

TEST(ExperimentExtension, ByTurnsIsNamed) {
  const auto more = extend_experiment(Wanted().record(), Wanted{.turns = 4}.record());
  ASSERT_TRUE(more) << describe(more.error());
  EXPECT_THAT(more->added, ElementsAre("turns 1 -> 4"));
  EXPECT_EQ(more->experiment.turns, 4);
  expect_kept(Wanted().record(), *more);
}

// In a new run of the file exp_002 would be the third replica of "base"; here it stays what it was.
TEST(ExperimentExtension, ByReplicasCountsIdsOn) {
  const Wanted before{.tags = {"base", "tips"}};
  const Wanted after{.tags = {"base", "tips"}, .replicas = 3};
  const auto more = extend_experiment(before.record(), after.record());
  ASSERT_TRUE(more) << describe(more.error());
  EXPECT_THAT(more->added, ElementsAre("replicas 2 -> 3", "2 more trajectories"));
  expect_kept(before.record(), *more);
  const PlannedTrajectory& first = more->experiment.trajectories.at(4);
  EXPECT_EQ(first.id, "exp_004");
  EXPECT_EQ(first.prompt_tag, "base");
  EXPECT_EQ(first.replica, 2);
  EXPECT_EQ(more->experiment.trajectories.at(5).id, "exp_005");
  EXPECT_EQ(more->experiment.trajectories.at(5).prompt_block, 1);
}

TEST(ExperimentExtension, ByAModelInFrontOfTheOthersMovesNone) {
  const Wanted after{.models = {"z", "a"}};
  const auto more = extend_experiment(Wanted().record(), after.record());
  ASSERT_TRUE(more) << describe(more.error());
  EXPECT_THAT(more->added, ElementsAre("model 'z'", "2 more trajectories"));
  expect_kept(Wanted().record(), *more);
  EXPECT_EQ(more->experiment.trajectories.at(2).model, "z");
  EXPECT_EQ(more->experiment.trajectories.at(2).id, "exp_000");
}

TEST(ExperimentExtension, ByAPromptInFrontGivesItTheNextBlock) {
  const Wanted after{.tags = {"tips", "base"}};
  const auto more = extend_experiment(Wanted().record(), after.record());
  ASSERT_TRUE(more) << describe(more.error());
  expect_kept(Wanted().record(), *more);
  EXPECT_EQ(more->experiment.trajectories.at(2).prompt_tag, "tips");
  EXPECT_EQ(more->experiment.trajectories.at(2).prompt_block, 1);
  EXPECT_EQ(more->experiment.trajectories.at(2).id, "exp_002");
}

TEST(ExperimentExtension, OfAnExtensionFindsNothingNew) {
  const Wanted after{.models = {"z", "a"}, .replicas = 3, .turns = 2};
  const auto once = extend_experiment(Wanted().record(), after.record());
  ASSERT_TRUE(once);
  const auto twice = extend_experiment(once->experiment, after.record());
  ASSERT_TRUE(twice) << describe(twice.error());
  EXPECT_THAT(twice->added, IsEmpty());
}

TEST(ExperimentExtension, OfAnythingElseIsRefusedWithTheDifference) {
  const Wanted before{.models = {"a", "b"}, .turns = 4};
  for (const Wanted& after :
       {Wanted{.models = {"a"}, .turns = 4},
        Wanted{.models = {"a", "b"}, .replicas = 1, .turns = 4},
        Wanted{.models = {"a", "b"}, .turns = 3},
        Wanted{.models = {"a", "b"}, .turns = 4, .rest = "[budgets]\nevaluate_s = 20.0\n"},
        Wanted{.models = {"a", "b"}, .tags = {"tips"}, .turns = 4}}) {
    const auto refused = extend_experiment(before.record(), after.record());
    ASSERT_FALSE(refused) << after.record().text;
    EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
    EXPECT_THAT(refused.error().what, HasSubstr("\n- "));
  }
}

ExperimentRecord with_text(const std::string& text) {
  ExperimentRecord record = Wanted().record();
  record.text = text;
  return record;
}

const std::string kServed =
    "name = \"small\"\n[[models]]\nname = \"a\"\nprovider = \"openai\"\nmodel = \"m\"\n";

TEST(ExperimentExtension, TakesUpHowTheRunIsOperated) {
  const std::string rest = "[rank]\nfeedback_max_tokens = 500\n";
  const auto changed = extend_experiment(
      with_text(kServed + "url = \"http://old/v1\"\n" + rest),
      with_text(kServed + "url = \"http://new/v1\"\nclocks = { keep_alive_s = 3600 }\n" + rest +
                "checkpoint_s = 60\n[spending]\nmax_tokens = 5\n[reliability]\nrestarts = 1\n"));
  ASSERT_TRUE(changed) << describe(changed.error());
  EXPECT_THAT(changed->added, IsEmpty());
  EXPECT_THAT(changed->changed, testing::UnorderedElementsAre(
                                    "model 'a'.url", "model 'a'.clocks", "rank.checkpoint_s",
                                    "spending.max_tokens", "reliability.restarts"));
}

TEST(ExperimentExtension, RefusesWhatAModelIsToldOrAskedBesides) {
  for (const std::string& after :
       {kServed + "temperature = 1.0\n", kServed + "[rank]\nfeedback_max_tokens = 400\n",
        kServed + "[reliability]\ndrift = 0.5\n", kServed + "[budgets]\nevaluate_s = 20\n",
        kServed + "[[variants]]\nname = \"{model}\"\n",
        kServed + "[[prompts]]\ntag = \"base\"\n"}) {
    EXPECT_FALSE(extend_experiment(with_text(kServed), with_text(after))) << after;
  }
}

TEST(ExperimentExtension, ComparesIncludedFilesAsTheyAreUnderstood) {
  const std::string main = "name = \"small\"\nmodels_from = [\"m.toml\"]\n#:include \"m.toml\"\n";
  const std::string model = "[[models]]\nname = \"a\"\nprovider = \"openai\"\nmodel = \"m\"\n";
  const auto commented =
      extend_experiment(with_text(main + model), with_text(main + "# for the record\n" + model));
  ASSERT_TRUE(commented) << describe(commented.error());
  EXPECT_THAT(commented->changed, IsEmpty());
  const auto limited = extend_experiment(with_text(main + model),
                                         with_text(main + model + "limits = { in_flight = 2 }\n"));
  ASSERT_TRUE(limited) << describe(limited.error());
  EXPECT_THAT(limited->changed, ElementsAre("model 'a'.limits"));
  EXPECT_FALSE(
      extend_experiment(with_text(main + model), with_text(main + model + "temperature = 0.5\n")));
}

class ExtendedRun : public testing::Test {
 protected:
  std::unique_ptr<RunStore> open(const ExperimentRecord& experiment) {
    return open_run(path_, experiment);
  }
  static void do_turn(RunStore& store, int trajectory, int turn) {
    ASSERT_TRUE(store.append(reply_of(trajectory, turn)));
    ASSERT_TRUE(store.append(turn_of(trajectory, turn)));
  }
  static void end(RunStore& store, int trajectory, TrajectoryEnd end) {
    ASSERT_TRUE(store.append(TrajectoryEndRecord{trajectory, end, ""}));
  }
  void complete_the_first_version() {
    auto store = open(Wanted().record());
    do_turn(*store, 0, 0);
    end(*store, 0, TrajectoryEnd::kTurnsDone);
    do_turn(*store, 1, 0);
    end(*store, 1, TrajectoryEnd::kTargetReached);
    ASSERT_TRUE(store->finish());
    ASSERT_FALSE(real_file_system().exists(journal_path(path_)));
  }

  TestFolder folder_;
  std::string path_ = folder_.file("run.h5");
};

TEST_F(ExtendedRun, GoesOnWhereTurnsWereDoneAndNotWhereTheTargetWasReached) {
  complete_the_first_version();
  auto store = open(Wanted{.turns = 2}.record());
  EXPECT_THAT(store->extended(), ElementsAre("turns 1 -> 2"));
  EXPECT_FALSE(store->state().trajectories()[0].end);
  EXPECT_EQ(store->state().trajectories()[1].end, TrajectoryEnd::kTargetReached);
  do_turn(*store, 0, 1);
  end(*store, 0, TrajectoryEnd::kTurnsDone);
  EXPECT_TRUE(store->state().complete());
  ASSERT_TRUE(store->finish());
}

TEST_F(ExtendedRun, SurvivesTheJournalAndTheResultsFile) {
  complete_the_first_version();
  const Wanted wider{.models = {"b", "a"}, .turns = 2};
  { auto store = open(wider.record()); }
  {
    auto store = open(wider.record());  // from the journal
    EXPECT_THAT(store->extended(), IsEmpty());
    ASSERT_EQ(store->state().trajectories().size(), 4U);
    do_turn(*store, 2, 0);
    ASSERT_TRUE(store->finish());
  }
  ASSERT_TRUE(real_file_system().remove(journal_path(path_)));
  auto store = open(wider.record());  // from the results file
  EXPECT_THAT(store->extended(), IsEmpty());
  EXPECT_EQ(store->state().experiment()->trajectories[2].model, "b");
  EXPECT_EQ(store->state().trajectories()[2].history.size(), 1U);
  EXPECT_FALSE(store->state().trajectories()[0].end);
  EXPECT_EQ(store->state().turns(), 3);
  std::vector<int> planned;
  ASSERT_TRUE(read_results_file(path_, [&](Record&& record) -> Status {
    if (const auto* version = std::get_if<ExperimentRecord>(&record)) {
      planned.push_back(static_cast<int>(version->trajectories.size()));
    }
    return {};
  }));
  EXPECT_THAT(planned, ElementsAre(2, 4)) << "both versions, where they stood";
}

TEST_F(ExtendedRun, ThatIsOperatedInAnotherWayStoresThatAsAVersion) {
  const Wanted other{.rest = "[budgets]\nevaluate_s = 10.0\n[rank]\ncheckpoint_s = 60\n"};
  { auto store = open(Wanted().record()); }
  {
    auto store = open(other.record());
    EXPECT_THAT(store->changed(), ElementsAre("rank.checkpoint_s"));
    EXPECT_EQ(store->state().experiment()->text, other.record().text);
  }
  auto again = open(other.record());
  EXPECT_THAT(again->changed(), IsEmpty());
}

TEST_F(ExtendedRun, ThatIsCompleteStaysAsItIsWhateverItIsOperatedBy) {
  complete_the_first_version();
  const std::string before = read_text(path_).value();
  const Wanted other{.rest = "[budgets]\nevaluate_s = 10.0\n[rank]\ncheckpoint_s = 60\n"};
  auto store = open(other.record());
  EXPECT_THAT(store->changed(), IsEmpty());
  EXPECT_EQ(read_text(path_).value(), before);
}

TEST_F(ExtendedRun, ThatIsRefusedLeavesEveryFileAsItWas) {
  complete_the_first_version();
  const std::string before = read_text(path_).value();
  const auto refused =
      RunStore::open(real_file_system(), path_, Wanted{.replicas = 1, .turns = 2}.record());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().file, path_);
  EXPECT_EQ(read_text(path_).value(), before);
  EXPECT_FALSE(real_file_system().exists(journal_path(path_)));
}

TEST_F(ExtendedRun, WhatHasBegunKeepsItsPrompt) {
  const std::string text = R"([{"content":"as it was","role":"user"}])";
  auto store = open(Wanted{.turns = 2}.record());
  ASSERT_TRUE(store->append(PromptRecord{"hash", text}));
  ReplyRecord reply = reply_of(0, 0);
  reply.prompt_sha256 = "hash";
  ASSERT_TRUE(store->append(reply));
  const auto begun = store->assignment(0);
  ASSERT_TRUE(begun) << describe(begun.error());
  ASSERT_TRUE(begun->prompt);
  EXPECT_EQ(begun->prompt->text, text);
  ASSERT_TRUE(begun->pending_reply);
  EXPECT_EQ(*begun->pending_reply, reply);
  EXPECT_FALSE(store->assignment(1)->prompt);
}

}  // namespace
}  // namespace ptxbatch
