// Records as CBOR, by way of nlohmann's document type. A text that is not UTF-8 (a model may send
// anything) becomes a CBOR byte string, so that what we write is well-formed and every byte comes
// back. Samples are byte strings of little-endian 64-bit numbers: compact and exact.
#include "results/record_codec.h"

#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "common/utf8.h"
#include "results/enum_names.h"
#include "results/record_fields.h"

namespace ptxbatch {
namespace {

using nlohmann::json;

// Samples are stored as their bytes; the formats are little-endian.
static_assert(std::endian::native == std::endian::little);

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;

json byte_string(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  return json::binary(json::binary_t::container_type(bytes, bytes + size));
}

class Encoder {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    object_[name] = encode(value);
  }
  json take() { return std::move(object_); }

 private:
  template <class T>
  static json encode(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<int>(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else if constexpr (std::is_same_v<T, std::string>) {
      return is_utf8(value) ? json(value) : byte_string(value.data(), value.size());
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      return byte_string(value.data(), value.size() * sizeof(double));
    } else if constexpr (kIsVector<T>) {
      json array = json::array();
      for (const auto& element : value) array.push_back(encode(element));
      return array;
    } else {
      Encoder encoder;
      visit_fields(encoder, value);
      return encoder.take();
    }
  }

  json object_ = json::object();
};

/// Fills a record from a CBOR map; the first field that does not fit is kept as the error.
class Decoder {
 public:
  Decoder(const json& object, std::string path) : object_(object), path_(std::move(path)) {}

  template <class T>
  void operator()(const char* name, T& value) {
    if (error_) return;
    const std::string key = path_.empty() ? name : path_ + "." + name;
    const auto found = object_.find(name);
    if (found == object_.end()) {
      set_error(key, "is missing");
    } else {
      decode(*found, key, value);
    }
  }
  template <class T>
  void operator()(const char* name, T& value, AddedLater /*field*/) {
    if (object_.contains(name)) (*this)(name, value);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  template <class T>
  void decode(const json& field, const std::string& key, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!field.is_boolean()) return set_error(key, "is not a boolean");
      value = field.get<bool>();
    } else if constexpr (std::is_enum_v<T>) {
      std::int64_t number = -1;
      decode(field, key, number);
      if (error_) return;
      if (!is_valid_enum<T>(number)) return set_error(key, "is none of the known values");
      value = static_cast<T>(number);
    } else if constexpr (std::is_integral_v<T>) {
      if (!field.is_number_integer()) return set_error(key, "is not an integer");
      const bool fits = field.is_number_unsigned() ? std::in_range<T>(field.get<std::uint64_t>())
                                                   : std::in_range<T>(field.get<std::int64_t>());
      if (!fits) return set_error(key, "is out of range");
      value = field.get<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!field.is_number()) return set_error(key, "is not a number");
      value = field.get<T>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      decode_text(field, key, value);
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      decode_samples(field, key, value);
    } else if constexpr (kIsVector<T>) {
      if (!field.is_array()) return set_error(key, "is not an array");
      value.clear();
      value.reserve(field.size());
      for (std::size_t i = 0; i < field.size() && !error_; ++i) {
        decode(field[i], key + "[" + std::to_string(i) + "]", value.emplace_back());
      }
    } else {
      if (!field.is_object()) return set_error(key, "is not a map");
      Decoder decoder(field, key);
      visit_fields(decoder, value);
      error_ = decoder.error();
    }
  }

  void decode_text(const json& field, const std::string& key, std::string& value) {
    if (field.is_string()) {
      value = field.get_ref<const std::string&>();
    } else if (field.is_binary()) {
      value.assign(field.get_binary().begin(), field.get_binary().end());
    } else {
      set_error(key, "is not a string");
    }
  }

  void decode_samples(const json& field, const std::string& key, std::vector<double>& value) {
    if (!field.is_binary() || field.get_binary().size() % sizeof(double) != 0) {
      return set_error(key, "is not a byte string of 64-bit numbers");
    }
    const auto& bytes = field.get_binary();
    value.resize(bytes.size() / sizeof(double));
    if (!bytes.empty()) std::memcpy(value.data(), bytes.data(), bytes.size());
  }

  void set_error(const std::string& key, const std::string& problem) {
    error_ = Error{ErrorKind::kProtocol, "a field of a record " + problem, {}, {}, 0, 0, key};
  }

  const json& object_;
  std::string path_;
  std::optional<Error> error_;
};

std::optional<json> parse_cbor(std::string_view bytes) {
  try {
    return json::from_cbor(bytes);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

template <class Alternative>
void decode_as(const json& document, std::string_view type, std::optional<Result<Record>>& result) {
  if (type != record_type_name<Alternative>()) return;
  Alternative record;
  Decoder decoder(document, "");
  visit_fields(decoder, record);
  if (decoder.error()) {
    Error error = *decoder.error();
    error.what += " of type '" + std::string(type) + "'";
    result = fail(std::move(error));
  } else {
    result = Record(std::move(record));
  }
}

template <class... Alternatives>
Result<Record> decode_document(const json& document, std::variant<Alternatives...>* /*which*/) {
  const auto type = document.find("type");
  if (type == document.end() || !type->is_string()) {
    return fail(Error{ErrorKind::kProtocol, "a record is missing its type", {}, {}, 0, 0, "type"});
  }
  const auto& name = type->get_ref<const std::string&>();
  std::optional<Result<Record>> result;
  (decode_as<Alternatives>(document, name, result), ...);
  if (result) return std::move(*result);
  return fail(Error{ErrorKind::kProtocol,
                    "the record type '" + name + "' is unknown",
                    "It may have been written by a newer version of ptxbatch.",
                    {},
                    0,
                    0,
                    "type"});
}

}  // namespace

std::string encode_record(const Record& record) {
  const json document = std::visit(
      [](const auto& alternative) {
        Encoder encoder;
        encoder("type",
                std::string(record_type_name<std::remove_cvref_t<decltype(alternative)>>()));
        visit_fields(encoder, alternative);
        return encoder.take();
      },
      record);
  std::string bytes;
  json::to_cbor(document, bytes);
  return bytes;
}

Result<Record> decode_record(std::string_view bytes) {
  const std::optional<json> document = parse_cbor(bytes);
  if (!document || !document->is_object()) {
    return fail(ErrorKind::kProtocol, "a record is not a well-formed CBOR map");
  }
  return decode_document(*document, static_cast<Record*>(nullptr));
}

}  // namespace ptxbatch
