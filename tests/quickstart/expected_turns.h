// What each recorded reply was written to be judged as (expected_turns.csv), against what a results
// file says.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "results/records.h"

namespace ptxbatch {

/// Problem as in tables, trajectory ("exp_003"), turn.
using TurnKey = std::tuple<std::string, std::string, int>;

struct Judgement {
  std::string label;
  std::string cause;
  std::string target_instruction;

  bool operator==(const Judgement&) const = default;
};

using Judgements = std::map<TurnKey, Judgement>;

/// All rows of expected_turns.csv.
Judgements expected_judgements();

/// Those of one problem's first trajectories and turns.
Judgements expected_judgements(const std::string& problem, int trajectories, int turns);

/// A run as its results file tells it.
struct RunRecords {
  Judgements judgements;
  std::map<TurnKey, std::string> feedback;
  std::vector<TurnRecord> turns;
  std::map<TurnKey, int> turn_records;   // how often each turn was recorded
  std::map<TurnKey, int> reply_records;  // how often each reply was
};

/// Throws when the file cannot be read.
RunRecords read_run(const std::string& results);

/// One paragraph for each turn that was judged otherwise, is missing or is too much, with the
/// feedback that tells why; empty when all agree.
std::string differences(const Judgements& expected, const RunRecords& run);

/// Turns and replies that were recorded more than once; empty when there is none.
std::string duplicates(const RunRecords& run);

}  // namespace ptxbatch
