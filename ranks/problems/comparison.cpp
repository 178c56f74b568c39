// Written for the vectoriser: a block is widened to double, then one loop without branches keeps
// sums, maxima and counts in independent lanes. What is rare, the position of the first wrong
// element and telling poison from other NaN, is looked for only in a block that has it.
#include "ranks/problems/comparison.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "ranks/problems/number_formats.h"

namespace ptxbatch {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 512;  // elements, a multiple of kLanes
constexpr double kLargest = std::numeric_limits<double>::max();

using Lanes = std::array<double, kLanes>;
using Block = std::array<double, kBlock>;

/// How the elements of a type are stored and widened.
template <DataType type>
struct Format;
template <>
struct Format<DataType::kFloat32> {
  using Bits = std::uint32_t;
  static float widen(Bits bits) { return std::bit_cast<float>(bits); }
};
template <>
struct Format<DataType::kFloat16> {
  using Bits = std::uint16_t;
  static float widen(Bits bits) { return float16_to_float(bits); }
};
template <>
struct Format<DataType::kBFloat16> {
  using Bits = std::uint16_t;
  static float widen(Bits bits) { return bfloat16_to_float(bits); }
};

double total(const Lanes& lanes) {
  double sum = 0;
  for (const auto value : lanes) sum += value;
  return sum;
}

double largest(const Lanes& lanes) {
  return *std::max_element(lanes.begin(), lanes.end());
}

/// False for a NaN and for infinities.
inline bool is_finite(double value) {
  return std::fabs(value) <= kLargest;
}

/// The rule of the paper for finite x and y; true too when either is not finite.
inline bool is_wrong(double x, double y, Tolerance tolerance) {
  const double error = std::fabs(x - y);
  const bool within_absolute = error <= tolerance.absolute;
  const bool within_relative = error / (std::fabs(y) + 1e-8) <= tolerance.relative;
  return !is_finite(x) || !is_finite(y) || !(within_absolute || within_relative);
}

/// Doubles throughout, counts too (exact below 2^53): lanes of one width vectorise.
struct Sums {
  Lanes max_abs{};
  Lanes max_rel{};
  Lanes squared_error{};
  Lanes squared_expected{};
  Lanes wrong{};
  Lanes not_finite{};

  void add(const Block& actual, const Block& expected, Tolerance tolerance) {
    for (std::size_t i = 0; i < kBlock; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double x = actual[i + lane];
        const double y = expected[i + lane];
        const double larger = std::fabs(x) + std::fabs(y);
        const double error = std::fabs(x - y);
        const double relative = error / (std::fabs(y) + 1e-8);
        const double finite = larger <= kLargest ? 1.0 : 0.0;
        const double over_absolute = error > tolerance.absolute ? 1.0 : 0.0;
        const double beyond = relative > tolerance.relative ? over_absolute : 0.0;
        const double counted_error = larger <= kLargest ? error : 0.0;
        const double counted_relative = larger <= kLargest ? relative : 0.0;
        const double counted_expected = larger <= kLargest ? y : 0.0;
        wrong[lane] += larger <= kLargest ? beyond : 1.0;
        not_finite[lane] += 1.0 - finite;
        max_abs[lane] = counted_error > max_abs[lane] ? counted_error : max_abs[lane];
        max_rel[lane] = counted_relative > max_rel[lane] ? counted_relative : max_rel[lane];
        squared_error[lane] += counted_error * counted_error;
        squared_expected[lane] += counted_expected * counted_expected;
      }
    }
  }
};

template <DataType type>
class Comparison {
  using Bits = typename Format<type>::Bits;

 public:
  Comparison(const void* actual, const void* expected, Tolerance tolerance)
      : actual_(static_cast<const Bits*>(actual)),
        expected_(static_cast<const Bits*>(expected)),
        tolerance_(tolerance) {}

  OutputError over(std::size_t count) {
    for (std::size_t start = 0; start < count; start += kBlock) {
      add_block(start, std::min(kBlock, count - start));
    }
    return result(count);
  }

 private:
  void add_block(std::size_t start, std::size_t count) {
    const auto wrong_before = total(sums_.wrong);
    const auto not_finite_before = total(sums_.not_finite);
    widen(actual_ + start, count, x_);
    widen(expected_ + start, count, y_);
    sums_.add(x_, y_, tolerance_);
    if (first_wrong_ < 0 && total(sums_.wrong) > wrong_before) {
      first_wrong_ = static_cast<std::int64_t>(start + first_wrong_in_block());
    }
    if (total(sums_.not_finite) > not_finite_before) {
      const auto poison = static_cast<Bits>(poison_bits(type));
      never_written_ += std::count(actual_ + start, actual_ + start + count, poison);
    }
  }

  /// A last, short block is filled up with elements that are right.
  static void widen(const Bits* bits, std::size_t count, Block& block) {
    for (std::size_t i = 0; i < count; ++i) block[i] = Format<type>::widen(bits[i]);
    std::fill(block.begin() + static_cast<std::ptrdiff_t>(count), block.end(), 0.0);
  }

  [[nodiscard]] std::size_t first_wrong_in_block() const {
    std::size_t i = 0;
    while (i + 1 < kBlock && !is_wrong(x_[i], y_[i], tolerance_)) ++i;
    return i;
  }

  [[nodiscard]] OutputError result(std::size_t count) const {
    OutputError error;
    error.max_abs = largest(sums_.max_abs);
    error.max_rel = largest(sums_.max_rel);
    const auto squared_error = total(sums_.squared_error);
    const auto squared_expected = total(sums_.squared_expected);
    // A reference of zeros has no scale: the RMS of the error itself is then the measure.
    const auto scale = squared_expected > 0 ? squared_expected : static_cast<double>(count);
    if (squared_error > 0) error.rms_rel = std::sqrt(squared_error / scale);
    error.elements = static_cast<std::int64_t>(count);
    error.wrong = std::llround(total(sums_.wrong));
    error.never_written = never_written_;
    error.not_finite = std::llround(total(sums_.not_finite)) - never_written_;
    error.first_wrong = first_wrong_;
    return error;
  }

  const Bits* actual_;
  const Bits* expected_;
  Tolerance tolerance_;
  Sums sums_;
  Block x_{};
  Block y_{};
  std::int64_t never_written_ = 0;
  std::int64_t first_wrong_ = -1;
};

OutputError compare_by_type(DataType type, std::size_t count, const void* actual,
                            const void* expected, Tolerance tolerance) {
  switch (type) {
    case DataType::kFloat32:
      return Comparison<DataType::kFloat32>(actual, expected, tolerance).over(count);
    case DataType::kFloat16:
      return Comparison<DataType::kFloat16>(actual, expected, tolerance).over(count);
    case DataType::kBFloat16:
      return Comparison<DataType::kBFloat16>(actual, expected, tolerance).over(count);
    default:
      throw std::invalid_argument("compare_output: not a floating-point type");
  }
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
    default:
      throw std::invalid_argument("poison_bits: not a floating-point type");
  }
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

void accumulate(OutputError& total_error, const OutputError& trial) {
  total_error.output = trial.output;
  total_error.max_abs = std::max(total_error.max_abs, trial.max_abs);
  total_error.max_rel = std::max(total_error.max_rel, trial.max_rel);
  total_error.rms_rel = std::max(total_error.rms_rel, trial.rms_rel);
  total_error.elements += trial.elements;
  total_error.wrong += trial.wrong;
  total_error.not_finite += trial.not_finite;
  total_error.never_written += trial.never_written;
  if (total_error.first_wrong < 0) total_error.first_wrong = trial.first_wrong;
}

}  // namespace ptxbatch
