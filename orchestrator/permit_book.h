// Permits for model requests: who waits, who holds one, and what was granted in the last minute.
// Pure bookkeeping: time comes in as an argument, so that a minute takes a test no time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "common/clock.h"
#include "ranks/experiment.h"

namespace ptxbatch {

class PermitBook {
 public:
  /// A permit's name: the rank that asked, and its own number.
  struct Key {
    int rank = 0;
    std::uint64_t number = 0;
    bool operator==(const Key&) const = default;
    bool operator<(const Key& other) const {
      return std::tie(rank, number) < std::tie(other.rank, other.number);
    }
  };

  explicit PermitBook(const std::vector<ModelSpec>& models);

  void ask(const std::string& model, Key key, std::int64_t tokens);
  /// Takes those whose turn it is, each model's in the order of asking. Within any 60 seconds no
  /// more requests and tokens are granted than the limits say; a request that alone is larger than
  /// the limit is granted once the minute before it was empty.
  std::vector<Key> grant(SteadyClock::time_point now);
  /// The permit is not needed any more, whether it was granted or not. `tokens` replaces the
  /// estimate; `pause_s` holds back every further request of the model.
  void give_back(Key key, std::int64_t tokens, double pause_s, SteadyClock::time_point now);
  /// Gives back all that a rank holds or waits for.
  void drop_rank(int rank);

  [[nodiscard]] int in_flight(const std::string& model) const;
  [[nodiscard]] int waiting(const std::string& model) const;

 private:
  struct Grant {
    SteadyClock::time_point at;
    std::int64_t tokens = 0;
    bool in_last_minute = true;
  };
  struct Waiting {
    Key key;
    std::int64_t tokens = 0;
  };
  struct Model {
    ModelLimits limits;
    std::deque<Waiting> waiting;
    std::deque<std::shared_ptr<Grant>> last_minute;
    std::int64_t tokens_of_last_minute = 0;
    int in_flight = 0;
    SteadyClock::time_point paused_until;
  };
  struct Held {
    Model* model = nullptr;
    std::shared_ptr<Grant> grant;
  };

  /// Variants of a model share its limits.
  Model& model_of(const std::string& row);
  static bool may_grant(const Model& model, std::int64_t tokens, SteadyClock::time_point now);

  std::map<std::string, std::string> bases_;  // of rows that are variants
  std::map<std::string, Model> models_;
  std::map<Key, Held> held_;
};

}  // namespace ptxbatch
