// The operator registry: what PTXBatch knows of each op_type beyond shapes. Pure computation, free
// of BLAS and CUDA; the references live beside the keepers (problems/host_references.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/problems/problem.h"

namespace ptxbatch {

class Operator {
 public:
  virtual ~Operator() = default;
  [[nodiscard]] virtual std::string_view op_type() const = 0;
  /// Distinct inputs of an evaluation: 3, for backward passes 1 (protocol of the paper).
  [[nodiscard]] virtual int default_trials() const { return 3; }
  /// Floating-point operations by the paper's formulas: GEMM 2MNK, attention forward 4 S^2 B H D,
  /// ...
  [[nodiscard]] virtual double flops(const Problem& problem) const = 0;
  /// Checks that inputs, outputs and axes are those this operator computes on.
  [[nodiscard]] virtual Status check(const Problem& problem) const = 0;
  /// Into how many equal parts of their leading axes the work falls that know nothing of each
  /// other: GEMM's rows of A and C, attention's heads. Rotating those inputs by whole parts rotates
  /// all outputs by as many, so that inputs seen before can be shown in an order not seen before.
  [[nodiscard]] virtual std::int64_t independent_parts(const Problem& problem) const {
    (void)problem;
    return 1;
  }
  /// Whether this input falls into those parts; every output does.
  [[nodiscard]] virtual bool is_divided_input(std::size_t index) const {
    (void)index;
    return true;
  }
  /// Inputs that are drawn, by index; the others (O and L of a backward pass) come from a
  /// reference.
  [[nodiscard]] virtual bool is_random_input(std::size_t index) const {
    (void)index;
    return true;
  }
};

/// nullptr when unknown.
const Operator* find_operator(std::string_view op_type);
std::vector<std::string> known_op_types();

/// The seed of one input of one trial, from the experiment's, which is stored: so every input can
/// be made again anywhere. It is the number that the first 16 hexadecimal digits are of the SHA-256
/// of
///   "ptxbatch input\n<experiment_seed>\n<workload>\n<trial>\n<input_index>"
/// with the numbers in decimal.
std::uint64_t input_seed(std::uint64_t experiment_seed, std::string_view workload, int trial,
                         std::size_t input_index);

/// N(0,1) values, element i depending on (seed, i) alone (Philox4x32-10 and Box-Muller), so that
/// any part can be made on any device (random.h has the formula). number_formats.h rounds them to
/// the input's type when they are stored.
void generate_normal(std::uint64_t seed, std::int64_t first_element, std::span<float> values);

}  // namespace ptxbatch
