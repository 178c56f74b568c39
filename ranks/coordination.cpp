#include "ranks/coordination.h"

#include <nlohmann/json.hpp>

#include "results/record_codec.h"
#include "results/record_fields.h"

namespace ptxbatch {

using nlohmann::json;

// nlohmann finds conversions by argument-dependent look-up, so these stand in the messages' own
// namespace, not in an unnamed one.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VisibleGpu, uuid, name, compute_capability, driver)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkRequest, places, out_of_service)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Activity, generating, compiling, judging, device_busy_s, up_s,
                                   device)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Goodbye, error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Welcome, experiment_file, experiment_text, session, device)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Refusal, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Acknowledgement, number)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PermitReturn, number, tokens, pause_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PermitGrant, number)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PutBack, trajectory, message, blameless)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Stop, grace_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Message, role, content)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RelayedReply::Failure, kind, cause, what, hint)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Assignment::FinishedTurn, reply, feedback, prompt_tokens)

namespace {

json binary(const std::string& bytes) {
  return json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

std::string from_binary(const json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

// Throws like nlohmann's own conversions; decode() below turns that into an Error.
Record record_from(const json& value) {
  auto record = decode_record(from_binary(value));
  if (!record) throw std::invalid_argument(record.error().what);
  return std::move(*record);
}

json trajectory_to_json(const PlannedTrajectory& plan) {
  json out;
  auto archive = [&](const char* name, const auto& value) { out[name] = value; };
  visit_fields(archive, plan);
  return out;
}

PlannedTrajectory trajectory_from(const json& in) {
  PlannedTrajectory plan;
  auto archive = [&](const char* name, auto& value) { in.at(name).get_to(value); };
  visit_fields(archive, plan);
  return plan;
}

}  // namespace

void to_json(json& out, const Hello& message) {
  out = {{"program_version", message.program_version},
         {"git_commit", message.git_commit},
         {"host", message.host}};
  if (message.gpus) out["gpus"] = *message.gpus;
}

void from_json(const json& in, Hello& message) {
  in.at("program_version").get_to(message.program_version);
  in.at("git_commit").get_to(message.git_commit);
  in.at("host").get_to(message.host);
  if (const auto gpus = in.find("gpus"); gpus != in.end()) {
    message.gpus = gpus->get<std::vector<VisibleGpu>>();
  }
}

namespace {

/// Messages that are their type and nothing else.
template <class T>
concept WithoutFields = std::is_empty_v<T>;

}  // namespace

template <WithoutFields T>
void to_json(json& out, const T& /*message*/) {
  out = json::object();
}
template <WithoutFields T>
void from_json(const json& /*in*/, T& /*message*/) {}

void to_json(json& out, const RecordMessage& message) {
  out = {{"number", message.number}, {"record", binary(encode_record(message.record))}};
}

void from_json(const json& in, RecordMessage& message) {
  in.at("number").get_to(message.number);
  message.record = record_from(in.at("record"));
}

void to_json(json& out, const PermitRequest& message) {
  out = {{"number", message.number},
         {"request", binary(encode_record(message.request))},
         {"tokens", message.tokens}};
}

void from_json(const json& in, PermitRequest& message) {
  in.at("number").get_to(message.number);
  message.request = std::get<RequestRecord>(record_from(in.at("request")));
  in.at("tokens").get_to(message.tokens);
}

void to_json(json& out, const RelayedRequest& message) {
  out = {{"rank", message.rank},
         {"number", message.number},
         {"trajectory", trajectory_to_json(message.trajectory)},
         {"turn", message.turn},
         {"messages", message.messages},
         {"request_sha256", message.request_sha256},
         {"prompt_tokens", message.prompt_tokens}};
}

void from_json(const json& in, RelayedRequest& message) {
  in.at("rank").get_to(message.rank);
  in.at("number").get_to(message.number);
  message.trajectory = trajectory_from(in.at("trajectory"));
  in.at("turn").get_to(message.turn);
  in.at("messages").get_to(message.messages);
  in.at("request_sha256").get_to(message.request_sha256);
  in.at("prompt_tokens").get_to(message.prompt_tokens);
}

void to_json(json& out, const RelayedReply& message) {
  out = {{"rank", message.rank}, {"number", message.number}, {"reason", message.reason}};
  if (message.reply) out["reply"] = binary(encode_record(*message.reply));
  if (message.end_without_reply) out["end"] = static_cast<int>(*message.end_without_reply);
  if (message.failure) out["failure"] = *message.failure;
}

void from_json(const json& in, RelayedReply& message) {
  in.at("rank").get_to(message.rank);
  in.at("number").get_to(message.number);
  in.at("reason").get_to(message.reason);
  if (const auto reply = in.find("reply"); reply != in.end()) {
    message.reply = std::get<ReplyRecord>(record_from(*reply));
  }
  if (const auto end = in.find("end"); end != in.end()) {
    message.end_without_reply = static_cast<TrajectoryEnd>(end->get<int>());
  }
  if (const auto failure = in.find("failure"); failure != in.end()) {
    RelayedReply::Failure what{};
    failure->get_to(what);
    message.failure = std::move(what);
  }
}

void to_json(json& out, const Assignment& message) {
  out = {{"trajectory", trajectory_to_json(message.trajectory)}, {"history", message.history}};
  if (message.pending_reply) out["pending_reply"] = binary(encode_record(*message.pending_reply));
  if (message.prompt) out["prompt"] = binary(encode_record(*message.prompt));
}

void from_json(const json& in, Assignment& message) {
  message.trajectory = trajectory_from(in.at("trajectory"));
  in.at("history").get_to(message.history);
  if (const auto pending = in.find("pending_reply"); pending != in.end()) {
    message.pending_reply = std::get<ReplyRecord>(record_from(*pending));
  }
  if (const auto prompt = in.find("prompt"); prompt != in.end()) {
    message.prompt = std::get<PromptRecord>(record_from(*prompt));
  }
}

namespace {

template <class T>
constexpr std::string_view kTypeName;
template <>
constexpr std::string_view kTypeName<Hello> = "hello";
template <>
constexpr std::string_view kTypeName<WorkRequest> = "work_request";
template <>
constexpr std::string_view kTypeName<RecordMessage> = "record";
template <>
constexpr std::string_view kTypeName<PermitRequest> = "permit_request";
template <>
constexpr std::string_view kTypeName<PermitReturn> = "permit_return";
template <>
constexpr std::string_view kTypeName<PermitGrant> = "permit_grant";
template <>
constexpr std::string_view kTypeName<PutBack> = "put_back";
template <>
constexpr std::string_view kTypeName<RelayedRequest> = "relayed_request";
template <>
constexpr std::string_view kTypeName<RelayedReply> = "relayed_reply";
template <>
constexpr std::string_view kTypeName<Activity> = "activity";
template <>
constexpr std::string_view kTypeName<Heartbeat> = "heartbeat";
template <>
constexpr std::string_view kTypeName<Goodbye> = "goodbye";
template <>
constexpr std::string_view kTypeName<Welcome> = "welcome";
template <>
constexpr std::string_view kTypeName<Refusal> = "refusal";
template <>
constexpr std::string_view kTypeName<Assignment> = "assignment";
template <>
constexpr std::string_view kTypeName<NoMoreWork> = "no_more_work";
template <>
constexpr std::string_view kTypeName<Acknowledgement> = "acknowledgement";
template <>
constexpr std::string_view kTypeName<Stop> = "stop";
template <>
constexpr std::string_view kTypeName<Dismissed> = "dismissed";
template <>
constexpr std::string_view kTypeName<Farewell> = "farewell";

template <class Variant>
std::string encode(const Variant& message) {
  return std::visit(
      [](const auto& body) {
        json envelope = {{"type", kTypeName<std::decay_t<decltype(body)>>}, {"body", body}};
        std::string bytes;
        json::to_cbor(envelope, bytes);
        return bytes;
      },
      message);
}

template <class T, class Variant>
bool decode_as(const json& envelope, Variant& message) {
  if (envelope.at("type").get_ref<const std::string&>() != kTypeName<T>) return false;
  message = envelope.at("body").get<T>();
  return true;
}

template <class... Types>
Result<std::variant<Types...>> decode(std::string_view bytes,
                                      std::variant<Types...> /*selects the types*/) {
  try {
    const json envelope = json::from_cbor(bytes);
    std::variant<Types...> message;
    if ((decode_as<Types>(envelope, message) || ...)) return message;
    return fail(ErrorKind::kProtocol, "a message of an unknown type arrived",
                "Start every rank with the same ptxbatch.");
  } catch (const std::exception& error) {
    return fail(ErrorKind::kProtocol, std::string("a message cannot be read: ") + error.what(),
                "Start every rank with the same ptxbatch.");
  }
}

}  // namespace

std::string encode_message(const RankMessage& message) {
  return encode(message);
}
std::string encode_message(const CoordinatorMessage& message) {
  return encode(message);
}

Result<RankMessage> decode_rank_message(std::string_view bytes) {
  return decode(bytes, RankMessage{});
}
Result<CoordinatorMessage> decode_coordinator_message(std::string_view bytes) {
  return decode(bytes, CoordinatorMessage{});
}

}  // namespace ptxbatch
