// Each message's fields are listed once, in fields(); a Writer and a Reader go over that list.
#include "ranks/profile/messages.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "ranks/profile/cbor_guard.h"
#include "ranks/profile/printable_text.h"

namespace ptxbatch {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::size_t kMaxListItems = kMaxAddressesPerMessage;

// ---- the fields of each struct ----

template <class Visit>
void fields(Visit& visit, Done& m) {
  visit("nonce", m.nonce);
}
template <class Visit>
void fields(Visit& visit, Refused& m) {
  visit("nonce", m.nonce);
  visit("what", m.what);
  visit("hint", m.hint);
}
template <class Visit>
void fields(Visit& visit, DeviceInfo& m) {
  visit("name", m.name);
  visit("id", m.id);
  visit("driver", m.driver);
  visit("libraries", m.libraries);
  visit("architecture", m.architecture);
  visit("peak_flops_per_s", m.peak_flops_per_s);
  visit("peak_bytes_per_s", m.peak_bytes_per_s);
}
template <class Visit>
void fields(Visit& visit, KeeperHello& m) {
  visit("device", m.device);
}
template <class Visit>
void fields(Visit& visit, Tensor& m) {
  visit("name", m.name);
  visit("type", m.type);
  visit("shape", m.shape);
}
template <class Visit>
void fields(Visit& visit, Argument& m) {
  visit("tensor", m.tensor);
  visit("is_scalar", m.is_scalar);
  visit("scalar", m.scalar);
}
template <class Visit>
void fields(Visit& visit, Problem& m) {
  visit("definition", m.definition);
  visit("op_type", m.op_type);
  visit("workload", m.workload);
  visit("axes", m.axes);
  visit("inputs", m.inputs);
  visit("outputs", m.outputs);
}
template <class Visit>
void fields(Visit& visit, TensorMapping& m) {
  visit("output", m.output);
  visit("tensor_bytes", m.tensor_bytes);
  visit("mapped_bytes", m.mapped_bytes);
  visit("descriptors", m.descriptors);
}
template <class Visit>
void fields(Visit& visit, OutputError& m) {
  visit("output", m.output);
  visit("max_abs", m.max_abs);
  visit("max_rel", m.max_rel);
  visit("rms_rel", m.rms_rel);
  visit("elements", m.elements);
  visit("wrong", m.wrong);
  visit("not_finite", m.not_finite);
  visit("never_written", m.never_written);
  visit("first_wrong", m.first_wrong);
}
template <class Visit>
void fields(Visit& visit, OpenWorkload& m) {
  visit("nonce", m.nonce);
  visit("problem", m.problem);
  visit("input_seed", m.input_seed);
  visit("input_sets", m.input_sets);
}
template <class Visit>
void fields(Visit& visit, WorkloadOpened& m) {
  visit("nonce", m.nonce);
  visit("reference", m.reference);
  visit("mappings", m.mappings);
}
template <class Visit>
void fields(Visit& visit, PrepareCall& m) {
  visit("nonce", m.nonce);
  visit("set", m.set);
  visit("keeps_order", m.keeps_order);
}
template <class Visit>
void fields(Visit& visit, CheckCall& m) {
  visit("nonce", m.nonce);
  visit("set", m.set);
  visit("abs_tolerance", m.abs_tolerance);
  visit("rel_tolerance", m.rel_tolerance);
}
template <class Visit>
void fields(Visit& visit, CallChecked& m) {
  visit("nonce", m.nonce);
  visit("errors", m.errors);
  visit("overrun", m.overrun);
}
template <class Visit>
void fields(Visit& visit, TimeReference& m) {
  visit("nonce", m.nonce);
  visit("set", m.set);
}
template <class Visit>
void fields(Visit& visit, ReferenceTimed& m) {
  visit("nonce", m.nonce);
  visit("seconds", m.seconds);
}
template <class Visit>
void fields(Visit& visit, ReadDevice& m) {
  visit("nonce", m.nonce);
}
template <class Visit>
void fields(Visit& visit, DeviceReading& m) {
  visit("sm_clock_mhz", m.sm_clock_mhz);
  visit("memory_clock_mhz", m.memory_clock_mhz);
  visit("temperature_c", m.temperature_c);
  visit("power_w", m.power_w);
  visit("throttle_reasons", m.throttle_reasons);
}
template <class Visit>
void fields(Visit& visit, DeviceErrors& m) {
  visit("ecc_uncorrected", m.ecc_uncorrected);
  visit("xids", m.xids);
  visit("gone", m.gone);
}
template <class Visit>
void fields(Visit& visit, DeviceRead& m) {
  visit("nonce", m.nonce);
  visit("readings", m.readings);
  visit("errors", m.errors);
}
template <class Visit>
void fields(Visit& visit, AskReady& m) {
  visit("nonce", m.nonce);
}
template <class Visit>
void fields(Visit& visit, LoadCandidate& m) {
  visit("nonce", m.nonce);
  visit("binary", m.binary);
  visit("scratch", m.scratch);
  visit("readable", m.readable);
  visit("memory_limit_bytes", m.memory_limit_bytes);
  visit("inputs", m.inputs);
  visit("outputs", m.outputs);
  visit("mappings", m.mappings);
}
template <class Visit>
void fields(Visit& visit, CandidateLoaded& m) {
  visit("nonce", m.nonce);
  visit("loaded", m.loaded);
  visit("failure", m.failure);
  visit("notice", m.notice);
}
template <class Visit>
void fields(Visit& visit, CallRun& m) {
  visit("nonce", m.nonce);
}
template <class Visit>
void fields(Visit& visit, RunReturned& m) {
  visit("nonce", m.nonce);
  visit("claimed_s", m.claimed_s);
  visit("device_error", m.device_error);
  visit("device_fault", m.device_fault);
  visit("violation", m.violation);
  visit("incomplete", m.incomplete);
  visit("raised", m.raised);
  visit("error_kind", m.error_kind);
  visit("error_text", m.error_text);
}
template <class Visit>
void fields(Visit& visit, FaultNote& m) {
  visit("place", m.place);
}
template <class Visit>
void fields(Visit& visit, CountFunction& m) {
  visit("nonce", m.nonce);
  visit("function", m.function);
}
template <class Visit>
void fields(Visit& visit, InstructionCount& m) {
  visit("address", m.address);
  visit("warps", m.warps);
  visit("threads", m.threads);
}
template <class Visit>
void fields(Visit& visit, FunctionCounts& m) {
  visit("launched", m.launched);
  visit("graph_launched", m.graph_launched);
  visit("other_function", m.other_function);
  visit("failure", m.failure);
  visit("instructions", m.instructions);
}
template <class Visit>
void fields(Visit& visit, ReportCounts& m) {
  visit("nonce", m.nonce);
  visit("first", m.first);
}
template <class Visit>
void fields(Visit& visit, Counts& m) {
  visit("nonce", m.nonce);
  visit("counts", m.counts);
  visit("more", m.more);
}
template <class Visit>
void fields(Visit& visit, SetBreakpoints& m) {
  visit("nonce", m.nonce);
  visit("binary", m.binary);
  visit("addresses", m.addresses);
}
template <class Visit>
void fields(Visit& visit, ReportHits& m) {
  visit("nonce", m.nonce);
  visit("first", m.first);
}
template <class Visit>
void fields(Visit& visit, Hits& m) {
  visit("nonce", m.nonce);
  visit("addresses", m.addresses);
  visit("more", m.more);
}

// ---- writing ----

// NaN and infinity are values that a check may truly find (a maximal error); JSON's own CBOR writer
// keeps them, so numbers go out as they are.
class Writer {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    object_[name] = write(value);
  }
  Json take() { return std::move(object_); }

  template <class T>
  static Json write(T& value) {
    if constexpr (std::is_arithmetic_v<T> ||
                  std::is_same_v<T, std::map<std::string, std::int64_t>>) {
      return value;
    } else if constexpr (std::is_same_v<T, std::string>) {
      return printable_text(value, kMaxTextBytes);
    } else if constexpr (std::is_same_v<T, DataType>) {
      return data_type_name(value);
    } else {
      return write_compound(value);
    }
  }

 private:
  template <class T>
  static Json write_compound(std::vector<T>& items) {
    Json list = Json::array();
    for (T& item : items) list.push_back(write(item));
    return list;
  }
  template <class T>
  static Json write_compound(T& value) {
    Writer writer;
    writer.object_ = Json::object();
    fields(writer, value);
    return writer.take();
  }

  Json object_ = Json::object();
};

// ---- reading ----

class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  template <class T>
  void operator()(const char* name, T& value) {
    if (!problem_.empty()) return;
    const auto found = object_.find(name);
    if (found == object_.end()) {
      problem_ = std::string("the field '") + name + "' is missing";
    } else if (!read(*found, value)) {
      problem_ = std::string("the field '") + name + "' has a wrong value";
    }
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  static bool read(const Json& json, bool& value) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
    return true;
  }
  static bool read(const Json& json, std::uint64_t& value) {
    if (!json.is_number_unsigned()) return false;
    value = json.get<std::uint64_t>();
    return true;
  }
  static bool read(const Json& json, std::int64_t& value) {
    if (!json.is_number_integer()) return false;
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return false;
    value = json.get<std::int64_t>();
    return true;
  }
  static bool read(const Json& json, double& value) {
    if (!json.is_number()) return false;
    value = json.get<double>();
    return true;
  }
  static bool read(const Json& json, std::string& value) {
    if (!json.is_string()) return false;
    value = printable_text(json.get_ref<const std::string&>(), kMaxTextBytes);
    return true;
  }
  static bool read(const Json& json, DataType& value) {
    if (!json.is_string()) return false;
    const auto type = data_type_from_name(json.get_ref<const std::string&>());
    if (type) value = *type;
    return type.has_value();
  }
  static bool read(const Json& json, std::map<std::string, std::int64_t>& value) {
    if (!json.is_object() || json.size() > kMaxListItems) return false;
    for (const auto& [name, item] : json.items()) {
      if (!read(item, value[name])) return false;
    }
    return true;
  }
  template <class T>
  static bool read(const Json& json, std::vector<T>& value) {
    if (!json.is_array() || json.size() > kMaxListItems) return false;
    value.reserve(json.size());
    for (const Json& item : json) {
      if (!read(item, value.emplace_back())) return false;
    }
    return true;
  }
  template <class T>
  static bool read(const Json& json, T& value) {
    if (!json.is_object()) return false;
    Reader reader(json);
    fields(reader, value);
    return reader.problem().empty();
  }

  const Json& object_;
  std::string problem_;
};

// The message's place in the variant is its type on the wire: both ends are of one build.
template <std::size_t kIndex = 0>
Result<PeerMessage> read_alternative(std::uint64_t type, const Json& object) {
  if constexpr (kIndex == std::variant_size_v<PeerMessage>) {
    return fail(ErrorKind::kProtocol, "a message of an unknown type");
  } else {
    if (type != kIndex) return read_alternative<kIndex + 1>(type, object);
    std::variant_alternative_t<kIndex, PeerMessage> message;
    Reader reader(object);
    fields(reader, message);
    if (!reader.problem().empty()) return fail(ErrorKind::kProtocol, reader.problem());
    return PeerMessage(std::move(message));
  }
}

}  // namespace

std::string encode(const PeerMessage& message) {
  Json object = std::visit(
      [](auto copy) {
        Writer writer;
        fields(writer, copy);
        return writer.take();
      },
      message);
  object["type"] = message.index();
  std::string bytes;
  Json::to_cbor(object, bytes);
  return bytes;
}

Result<PeerMessage> decode(std::string_view bytes) {
  if (bytes.size() > kMaxMessageBytes || !is_plain_cbor(bytes, kMaxDepth)) {
    return fail(ErrorKind::kProtocol, "a message that is not plain CBOR");
  }
  const Json object = Json::from_cbor(bytes.begin(), bytes.end(), true, false);
  const auto type = object.is_object() ? object.find("type") : object.end();
  if (!object.is_object() || type == object.end() || !type->is_number_unsigned()) {
    return fail(ErrorKind::kProtocol, "a message without a type");
  }
  return read_alternative(type->get<std::uint64_t>(), object);
}

}  // namespace ptxbatch
