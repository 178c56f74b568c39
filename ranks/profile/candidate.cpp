#include "ranks/profile/candidate.h"

#include <dlfcn.h>

namespace ptxbatch {
namespace {

DLDataType dl_type(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return {kDLFloat, 32, 1};
    case DataType::kFloat16:
      return {kDLFloat, 16, 1};
    case DataType::kBFloat16:
      return {kDLBfloat, 16, 1};
    case DataType::kInt32:
      return {kDLInt, 32, 1};
    case DataType::kInt64:
      return {kDLInt, 64, 1};
  }
  return {kDLFloat, 32, 1};
}

bool is_integer(DataType type) {
  return type == DataType::kInt32 || type == DataType::kInt64;
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string text_of(const TVMFFIByteArray& bytes) {
  return {bytes.data, bytes.size};
}

}  // namespace

CandidateArguments::CandidateArguments(const std::vector<Argument>& inputs,
                                       const std::vector<Tensor>& outputs,
                                       const std::vector<void*>& tensor_data, DLDevice device) {
  tensors_.reserve(inputs.size() + outputs.size());
  std::size_t next = 0;
  for (const Argument& input : inputs) {
    if (input.is_scalar) {
      add_scalar(input);
    } else {
      add_tensor(input.tensor, tensor_data.at(next++), device);
    }
  }
  for (const Tensor& output : outputs) add_tensor(output, tensor_data.at(next++), device);
}

void CandidateArguments::add_tensor(const Tensor& tensor, void* data, DLDevice device) {
  BoundTensor& bound = tensors_.emplace_back();
  bound.shape = tensor.shape;
  bound.strides = row_major_strides(tensor.shape);
  bound.tensor.data = data;
  bound.tensor.device = device;
  bound.tensor.ndim = static_cast<std::int32_t>(bound.shape.size());
  bound.tensor.dtype = dl_type(tensor.type);
  bound.tensor.shape = bound.shape.data();
  bound.tensor.strides = bound.strides.data();
  TVMFFIAny& value = values_.emplace_back();
  value.type_index = kTVMFFIDLTensorPtr;
  value.v_ptr = &bound.tensor;
}

void CandidateArguments::add_scalar(const Argument& argument) {
  TVMFFIAny& value = values_.emplace_back();
  if (is_integer(argument.tensor.type)) {
    value.type_index = kTVMFFIInt;
    value.v_int64 = static_cast<std::int64_t>(argument.scalar);
  } else {
    value.type_index = kTVMFFIFloat;
    value.v_float64 = argument.scalar;
  }
}

Result<Candidate> Candidate::load(const std::string& binary) {
  void* library = ::dlopen(binary.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(ErrorKind::kInput, ::dlerror());
  void* symbol = ::dlsym(library, "__tvm_ffi_run");
  if (symbol == nullptr) {
    return fail(ErrorKind::kInput,
                "it exports no function 'run' (TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, ...))");
  }
  return Candidate(reinterpret_cast<TVMFFISafeCallType>(symbol));
}

bool Candidate::call(const CandidateArguments& arguments) {
  TVMFFIAny result{};
  const auto& values = arguments.values();
  return run_(nullptr, values.data(), static_cast<std::int32_t>(values.size()), &result) == 0;
}

Candidate::Raised Candidate::take_error() {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == nullptr) return {"", "run reported a failure without an error"};
  const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  Raised raised{text_of(cell->kind), text_of(cell->message)};
  TVMFFIObjectDecRef(error);
  return raised;
}

}  // namespace ptxbatch
