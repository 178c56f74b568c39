// Candidates exported as a model would export them, through TVM-FFI's C++ interface; compiled with
// -DBEHAVIOUR=name.
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>
#include <stdexcept>

using tvm::ffi::TensorView;

namespace {

[[maybe_unused]] void typed_correct(TensorView a, TensorView b, TensorView c) {
  const auto* x = static_cast<const float*>(a.data_ptr());
  const auto* y = static_cast<const float*>(b.data_ptr());
  auto* z = static_cast<float*>(c.data_ptr());
  const std::int64_t m = a.size(0);
  const std::int64_t k = a.size(1);
  const std::int64_t n = b.size(0);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += x[i * k + l] * y[j * k + l];
      z[i * n + j] = sum;
    }
  }
}
[[maybe_unused]] void typed_raises(TensorView, TensorView, TensorView) {
  throw std::runtime_error("seven \xff\x01 is not supported");
}
[[maybe_unused]] void typed_raises_a_long_text(TensorView, TensorView, TensorView) {
  throw std::runtime_error(std::string(10'000'000, 'x'));
}
[[maybe_unused]] void typed_wrong_arity(TensorView, TensorView) {}
[[maybe_unused]] void typed_wrong_type(TensorView, double, TensorView) {}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, BEHAVIOUR);
