// The coordinator's part in model calls: permits for all ranks together, what the experiment may
// spend, and requests that go through gateways. What it sends follows what it has journalled.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/time_source.h"
#include "orchestrator/permit_book.h"
#include "orchestrator/run_store.h"
#include "orchestrator/transport.h"
#include "ranks/coordination.h"
#include "ranks/experiment.h"

namespace ptxbatch {

class ModelTraffic {
 public:
  /// All references must outlive it.
  ModelTraffic(const Experiment& experiment, RunStore& store, Transport& transport,
               const TimeSource& time);

  void take(int rank, const PermitRequest& request);
  void take(int rank, const PermitReturn& permit);
  /// To the gateway with the least to do; false when there is none left.
  bool take(int rank, const RelayedRequest& request);
  void take(int rank, const RelayedReply& reply);
  /// It is there again, with nothing in hand.
  void rank_returned(int rank);
  /// False when calls that it made for others are lost with it.
  [[nodiscard]] bool rank_left(int rank);

  /// Appends the requests that may be sent now to the journal; true when there were any. They are
  /// let go by send_grants(), once the journal is synced.
  Result<bool> journal_grants();
  void send_grants();

  /// Why nothing more may be spent; nothing while the limits leave room.
  [[nodiscard]] std::optional<Error> budget_spent() const;

  [[nodiscard]] int in_flight(const std::string& model) const { return book_.in_flight(model); }
  /// Requests that wait for a permit.
  [[nodiscard]] int waiting(const std::string& model) const { return book_.waiting(model); }

  [[nodiscard]] bool is_gateway(int rank) const { return gateways_.contains(rank); }

 private:
  /// Why a limit on the cost cannot be kept, where a server does not give what it was said to give.
  [[nodiscard]] std::optional<Error> cost_unknown() const;

  const Experiment& experiment_;
  RunStore& store_;
  Transport& transport_;
  const TimeSource& time_;
  PermitBook book_;
  std::map<PermitBook::Key, RequestRecord> asked_;
  std::vector<PermitBook::Key> granted_;
  std::map<int, std::map<PermitBook::Key, RelayedRequest>> gateways_;  // what each has in hand
};

}  // namespace ptxbatch
