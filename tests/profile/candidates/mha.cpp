// Attention forward, O = softmax(Q K^T / sqrt(D)) V and LSE, in the plainest way.
#include <tvm/ffi/c_api.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

const DLTensor& tensor(const TVMFFIAny* arguments, int index) {
  return *static_cast<const DLTensor*>(arguments[index].v_ptr);
}
float* data(const TVMFFIAny* arguments, int index) {
  return static_cast<float*>(tensor(arguments, index).data);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void*,
                                                                    const TVMFFIAny* arguments,
                                                                    std::int32_t, TVMFFIAny*) {
  const std::int64_t* shape = tensor(arguments, 0).shape;
  const std::int64_t heads = shape[0] * shape[1];
  const std::int64_t tokens = shape[2];
  const std::int64_t width = shape[3];
  std::vector<float> scores(static_cast<std::size_t>(tokens));
  for (std::int64_t row = 0; row < heads * tokens; ++row) {
    const std::int64_t head = row / tokens * tokens * width;
    const float* q = data(arguments, 0) + row * width;
    float* o = data(arguments, 3) + row * width;
    float sum = 0;
    for (std::int64_t t = 0; t < tokens; ++t) {
      float dot = 0;
      for (std::int64_t d = 0; d < width; ++d)
        dot += q[d] * data(arguments, 1)[head + t * width + d];
      scores[t] = std::exp(dot / std::sqrt(static_cast<float>(width)));
      sum += scores[t];
    }
    for (std::int64_t d = 0; d < width; ++d) {
      float value = 0;
      for (std::int64_t t = 0; t < tokens; ++t) {
        value += scores[t] * data(arguments, 2)[head + t * width + d];
      }
      o[d] = value / sum;
    }
    data(arguments, 4)[row] = std::log(sum);
  }
  return 0;
}
