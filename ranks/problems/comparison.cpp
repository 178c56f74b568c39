// Written for the vectoriser: counts and sums are kept in independent lanes, the loop over a block
// has no branch, and only a block with a wrong element is looked through again for its position.
#include "ranks/problems/comparison.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "ranks/problems/number_formats.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 512;  // elements; a multiple of kLanes
constexpr double kLargestFinite = 1.7976931348623157e308;

/// How the elements of a type are stored and widened.
template <DataType type>
struct Format;
template <>
struct Format<DataType::kFloat32> {
  using Bits = std::uint32_t;
  static double widen(Bits bits) { return std::bit_cast<float>(bits); }
};
template <>
struct Format<DataType::kFloat16> {
  using Bits = std::uint16_t;
  static double widen(Bits bits) { return float16_to_float(bits); }
};
template <>
struct Format<DataType::kBFloat16> {
  using Bits = std::uint16_t;
  static double widen(Bits bits) { return bfloat16_to_float(bits); }
};
template <>
struct Format<DataType::kInt32> {
  using Bits = std::uint32_t;
  static double widen(Bits bits) { return static_cast<std::int32_t>(bits); }
};
template <>
struct Format<DataType::kInt64> {
  using Bits = std::uint64_t;
  static double widen(Bits bits) { return static_cast<double>(static_cast<std::int64_t>(bits)); }
};

template <class T>
using Lanes = std::array<T, kLanes>;

struct Sums {
  Lanes<double> max_abs{};
  Lanes<double> max_rel{};
  Lanes<double> squared_error{};
  Lanes<double> squared_expected{};
  Lanes<std::int64_t> wrong{};
  Lanes<std::int64_t> not_finite{};
  Lanes<std::int64_t> never_written{};
};

template <DataType type>
class Comparison {
  using Bits = typename Format<type>::Bits;

 public:
  Comparison(const void* actual, const void* expected, Tolerance tolerance)
      : actual_(static_cast<const Bits*>(actual)),
        expected_(static_cast<const Bits*>(expected)),
        tolerance_(tolerance),
        poison_(static_cast<Bits>(poison_bits(type))) {}

  OutputError over(std::size_t count) {
    for (std::size_t start = 0; start < count; start += kBlock) {
      const auto end = std::min(start + kBlock, count);
      const auto whole = start + (end - start) / kLanes * kLanes;
      const auto before = total(sums_.wrong);
      for (std::size_t i = start; i < whole; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
      }
      for (std::size_t i = whole; i < end; ++i) add(i, i - whole);
      if (first_wrong_ < 0 && total(sums_.wrong) > before) first_wrong_ = find_wrong(start, end);
    }
    return result(count);
  }

 private:
  struct Element {
    double error;
    double relative;
    double expected;
    bool poisoned;
    bool finite;
    bool wrong;
  };

  [[nodiscard]] Element element(std::size_t i) const {
    const double x = Format<type>::widen(actual_[i]);
    const double y = Format<type>::widen(expected_[i]);
    const double error = std::fabs(x - y);
    const double relative = error / (std::fabs(y) + 1e-8);
    // False for a NaN too. & and | instead of && and ||: no branch.
    const bool finite = (std::fabs(x) <= kLargestFinite) & (std::fabs(y) <= kLargestFinite);
    const bool poisoned = actual_[i] == poison_;
    const bool beyond = (error > tolerance_.absolute) & (relative > tolerance_.relative);
    return {error, relative, y, poisoned, finite, (poisoned | !finite | beyond) != 0};
  }

  void add(std::size_t i, std::size_t lane) {
    const auto each = element(i);
    const bool counts = each.finite & !each.poisoned;
    const double error = counts ? each.error : 0.0;
    const double relative = counts ? each.relative : 0.0;
    const double expected = counts ? each.expected : 0.0;
    sums_.max_abs[lane] = error > sums_.max_abs[lane] ? error : sums_.max_abs[lane];
    sums_.max_rel[lane] = relative > sums_.max_rel[lane] ? relative : sums_.max_rel[lane];
    sums_.squared_error[lane] += error * error;
    sums_.squared_expected[lane] += expected * expected;
    sums_.wrong[lane] += static_cast<std::int64_t>(each.wrong);
    sums_.never_written[lane] += static_cast<std::int64_t>(each.poisoned);
    sums_.not_finite[lane] += static_cast<std::int64_t>(!each.finite & !each.poisoned);
  }

  [[nodiscard]] std::int64_t find_wrong(std::size_t start, std::size_t end) const {
    while (start < end && !element(start).wrong) ++start;
    return static_cast<std::int64_t>(start);
  }

  template <class T>
  static T total(const Lanes<T>& lanes) {
    T sum{};
    for (const auto value : lanes) sum += value;
    return sum;
  }

  [[nodiscard]] OutputError result(std::size_t count) const {
    OutputError error;
    error.max_abs = *std::max_element(sums_.max_abs.begin(), sums_.max_abs.end());
    error.max_rel = *std::max_element(sums_.max_rel.begin(), sums_.max_rel.end());
    const auto squared_error = total(sums_.squared_error);
    const auto squared_expected = total(sums_.squared_expected);
    // A reference of zeros has no scale: the RMS error itself is then the measure.
    if (squared_error > 0) {
      error.rms_rel = squared_expected > 0 ? std::sqrt(squared_error / squared_expected)
                                           : std::sqrt(squared_error / static_cast<double>(count));
    }
    error.elements = static_cast<std::int64_t>(count);
    error.wrong = total(sums_.wrong);
    error.not_finite = total(sums_.not_finite);
    error.never_written = total(sums_.never_written);
    error.first_wrong = first_wrong_;
    return error;
  }

  const Bits* actual_;
  const Bits* expected_;
  Tolerance tolerance_;
  Bits poison_;
  Sums sums_;
  std::int64_t first_wrong_ = -1;
};

template <DataType type>
OutputError compare(std::size_t count, const void* actual, const void* expected,
                    Tolerance tolerance) {
  return Comparison<type>(actual, expected, tolerance).over(count);
}

OutputError compare_by_type(DataType type, std::size_t count, const void* actual,
                            const void* expected, Tolerance tolerance) {
  switch (type) {
    case DataType::kFloat32:
      return compare<DataType::kFloat32>(count, actual, expected, tolerance);
    case DataType::kFloat16:
      return compare<DataType::kFloat16>(count, actual, expected, tolerance);
    case DataType::kBFloat16:
      return compare<DataType::kBFloat16>(count, actual, expected, tolerance);
    case DataType::kInt32:
      return compare<DataType::kInt32>(count, actual, expected, tolerance);
    case DataType::kInt64:
      return compare<DataType::kInt64>(count, actual, expected, tolerance);
  }
  return {};
}

}  // namespace

std::uint64_t poison_bits(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return 0xffdeadbeU;
    case DataType::kFloat16:
      return 0xfeadU;
    case DataType::kBFloat16:
      return 0xffdeU;
    case DataType::kInt32:
      return 0xdeadbeefU;
    case DataType::kInt64:
      return 0xdeadbeefdeadbeefU;
  }
  return 0;
}

void fill_with_poison(const Tensor& output, void* data) {
  const auto poison = poison_bits(output.type);
  const auto size = data_type_bytes(output.type);
  auto* byte = static_cast<unsigned char*>(data);
  for (std::int64_t i = 0; i < output.elements(); ++i) {
    std::memcpy(byte + static_cast<std::size_t>(i) * size, &poison, size);  // little-endian
  }
}

OutputError compare_output(const Tensor& output, const void* actual, const void* expected,
                           Tolerance tolerance) {
  auto error = compare_by_type(output.type, static_cast<std::size_t>(output.elements()), actual,
                               expected, tolerance);
  error.output = output.name;
  return error;
}

void accumulate(OutputError& total, const OutputError& trial) {
  total.output = trial.output;
  total.max_abs = std::max(total.max_abs, trial.max_abs);
  total.max_rel = std::max(total.max_rel, trial.max_rel);
  total.rms_rel = std::max(total.rms_rel, trial.rms_rel);
  total.elements += trial.elements;
  total.wrong += trial.wrong;
  total.not_finite += trial.not_finite;
  total.never_written += trial.never_written;
  if (total.first_wrong < 0) total.first_wrong = trial.first_wrong;
}

}  // namespace ptxbatch
