// Any record as JSON, its fields named as record_fields.h lists them: a field added there appears
// by itself in reports and exports. Enumerations are their names; numbers keep six digits, since
// what is exact is the results file. A text that is not UTF-8 is repaired.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "common/utf8.h"
#include "results/enum_names.h"
#include "results/record_fields.h"

namespace ptxbatch {

/// `value` with six significant digits; null for what JSON has no number for.
nlohmann::ordered_json rounded_number(double value);

/// Gives each field, as JSON, to `put(name, json)`.
template <class Put>
class JsonFields {
 public:
  explicit JsonFields(Put put) : put_(std::move(put)) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    put_(name, to_json(value));
  }

 private:
  template <class T>
  static nlohmann::ordered_json to_json(const T& value);

  Put put_;
};

template <class Record>
nlohmann::ordered_json record_json(const Record& record) {
  auto object = nlohmann::ordered_json::object();
  JsonFields fields([&object](const char* name, nlohmann::ordered_json value) {
    object[name] = std::move(value);
  });
  visit_fields(fields, record);
  return object;
}

template <class Put>
template <class T>
nlohmann::ordered_json JsonFields<Put>::to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(enum_name(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return repair_utf8(value);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    auto array = nlohmann::ordered_json::array();
    for (const double element : value) array.push_back(rounded_number(element));
    return array;
  } else if constexpr (std::is_floating_point_v<T>) {
    return rounded_number(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else if constexpr (requires { value.begin(); }) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& element : value) array.push_back(record_json(element));
    return array;
  } else {
    return record_json(value);
  }
}

}  // namespace ptxbatch
