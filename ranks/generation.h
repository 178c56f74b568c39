// The generate stage of a rank: its models' clients, how many calls may be out at a time, permits
// and relays. Used from the dispatcher alone; what its threads find comes back as events.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ranks/coordination.h"
#include "ranks/generate/api_keys.h"
#include "ranks/generate/http_loop.h"
#include "ranks/generate/model_client.h"
#include "ranks/rank_permits.h"
#include "ranks/relay_client.h"
#include "ranks/request_queue.h"

namespace ptxbatch {

class Generation {
 public:
  struct Links {
    std::function<void(std::function<void()>)> post;  // to the dispatcher, from any thread
    std::function<void(const RankMessage&)> say;      // to the coordinator, from the dispatcher
    /// A call has ended, after so many seconds; on the dispatcher.
    std::function<void(std::int32_t trajectory, const std::string& request_sha256, double seconds,
                       ModelResult)>
        answered;
  };

  /// The experiment and the keys must outlive it. `rank` decides whether this one is a gateway;
  /// `life` tells its relays from those of before a dismissal, which may still be answered.
  Generation(const Experiment& experiment, int rank, int life, const ApiKeys& keys, Links links);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  Status start();

  /// Asks as soon as fewer calls than `rank.generating` are out.
  void request(ModelRequest request);

  void handle(const PermitGrant& grant) { permits_.grant(grant.number); }
  void handle(RelayedRequest& request);
  void handle(RelayedReply& reply);

  /// No call begins any more. Those that cost nothing are dropped, the others may still end.
  void stop();
  /// Drops all calls and ends the threads.
  void close();

  [[nodiscard]] int out() const { return out_; }

 private:
  void begin_waiting();
  void begin(ModelRequest request);
  ClientContext context();
  /// Has the dispatcher say it; from any thread.
  void post_message(RankMessage message);

  const Experiment& experiment_;
  const ApiKeys& keys_;
  Links links_;
  bool relayed_;  // HTTP is done by gateways, and this is none
  bool stopping_ = false;
  int out_ = 0;       // calls that are waited for
  int out_paid_ = 0;  // those of them that cost something
  std::uint64_t relays_begun_;
  RequestQueue waiting_;
  RankPermits permits_;
  std::unique_ptr<HttpLoop> loop_;
  std::map<std::string, std::unique_ptr<ModelClient>> clients_;  // by model
  std::vector<RelayClient*> relays_;                             // those of the above that are
};

/// Whether this rank makes the model calls of others, and does nothing else.
bool is_gateway(const Experiment& experiment, int rank);

}  // namespace ptxbatch
