// Members of a DLTensor, and errors about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/error.h"
#include "core/half.h"

namespace scanlens {

namespace dlpack {

/// DLDataTypeCode and DLDeviceType.
enum Code : int { kInt = 0, kUInt = 1, kFloat = 2, kBFloat = 4, kBool = 6 };
enum DeviceType : int { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

template <class T>
inline constexpr int kCodeOf = std::is_same_v<T, BFloat16>                              ? kBFloat
                               : std::is_same_v<T, Half> || std::is_floating_point_v<T> ? kFloat
                               : std::is_signed_v<T>                                    ? kInt
                                                                                        : kUInt;

[[noreturn]] inline void refuse(const std::string& why) {
  throw Error(ErrorKind::usage, "DLPack, mdspan: " + why);
}

inline std::string type_name(int code, int bits) {
  const char* kind = code == kInt      ? "int"
                     : code == kUInt   ? "uint"
                     : code == kFloat  ? "float"
                     : code == kBFloat ? "bfloat"
                     : code == kBool   ? "bool"
                                       : "type ";
  return kind + std::to_string(code > kBool ? code : bits);
}

template <class Tensor>
std::string shape_name(const Tensor& tensor) {
  std::string name = "(";
  for (int k = 0; k < tensor.ndim; ++k) name += (k > 0 ? ", " : "") + std::to_string(tensor.shape[k]);
  return name + ")";
}

/// The stride of an axis, in elements; without strides a tensor is dense.
template <class Tensor>
std::int64_t stride_of(const Tensor& tensor, int axis) {
  if (tensor.strides != nullptr) return tensor.strides[axis];
  std::int64_t stride = 1;
  for (int k = tensor.ndim - 1; k > axis; --k) stride *= tensor.shape[k];
  return stride;
}

template <class Tensor>
std::int64_t count_of(const Tensor& tensor) {
  std::int64_t count = 1;
  for (int k = 0; k < tensor.ndim; ++k) count *= tensor.shape[k];
  return count;
}

/// True if the axes from `first` to before `end` are dense, whatever the stride of the last.
template <class Tensor>
bool is_dense(const Tensor& tensor, int first, int end) {
  std::int64_t expected = end > first ? stride_of(tensor, end - 1) : 0;
  for (int k = end - 1; k >= first; --k) {
    if (tensor.shape[k] > 1 && stride_of(tensor, k) != expected) return false;
    expected *= tensor.shape[k];
  }
  return true;
}

/// The first element of a tensor whose elements have to be T, const or not. Bool is uint8_t.
template <class T, class Tensor>
T* data_of(const Tensor& tensor) {
  using Element = std::remove_const_t<T>;
  const int code = static_cast<int>(tensor.dtype.code), bits = static_cast<int>(tensor.dtype.bits);
  const bool same = code == kCodeOf<Element> || (code == kBool && std::is_same_v<Element, std::uint8_t>);
  if (!same || bits != 8 * static_cast<int>(sizeof(T)) || tensor.dtype.lanes != 1)
    refuse("the tensor is of " + type_name(code, bits) + " x " + std::to_string(tensor.dtype.lanes) +
           ", not of " + type_name(kCodeOf<Element>, 8 * static_cast<int>(sizeof(T))));
  return reinterpret_cast<T*>(static_cast<std::byte*>(tensor.data) + tensor.byte_offset);
}

}  // namespace dlpack

}  // namespace scanlens
