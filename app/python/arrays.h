// Python's arrays as the library takes them: types, devices, strides.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/context.h"
#include "core/half.h"
#include "core/strided.h"
#include "core/view.h"

namespace scanlens::python {

namespace nb = nanobind;

/// Arrays of any type, shape, strides and device: NumPy's, whatever exports DLPack or the buffer protocol,
/// and DLPack capsules.
using In = nb::ndarray<nb::ro>;
/// An array that a call writes to. Python has made it, or has looked whether it can be written: NumPy
/// below 2.1 answers that question by an exception in each call.
using Out = In;

/// The types of elements. Booleans are bytes.
enum class Type { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, none };

template <class T>
inline constexpr Type kTypeOf = Type::none;
template <>
inline constexpr Type kTypeOf<std::uint8_t> = Type::u8;
template <>
inline constexpr Type kTypeOf<std::int8_t> = Type::i8;
template <>
inline constexpr Type kTypeOf<std::uint16_t> = Type::u16;
template <>
inline constexpr Type kTypeOf<std::int16_t> = Type::i16;
template <>
inline constexpr Type kTypeOf<std::uint32_t> = Type::u32;
template <>
inline constexpr Type kTypeOf<std::int32_t> = Type::i32;
template <>
inline constexpr Type kTypeOf<std::uint64_t> = Type::u64;
template <>
inline constexpr Type kTypeOf<std::int64_t> = Type::i64;
template <>
inline constexpr Type kTypeOf<Half> = Type::f16;
template <>
inline constexpr Type kTypeOf<BFloat16> = Type::bf16;
template <>
inline constexpr Type kTypeOf<float> = Type::f32;
template <>
inline constexpr Type kTypeOf<double> = Type::f64;

inline constexpr Type kTypes[] = {Type::u8,  Type::i8,  Type::u16, Type::i16,  Type::u32, Type::i32,
                                  Type::u64, Type::i64, Type::f16, Type::bf16, Type::f32, Type::f64};

constexpr bool is_real(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

/// NumPy's name of a type.
const char* name_of(Type type);
std::string type_name(nb::dlpack::dtype type);

/// Throws TypeError for types that no function takes: complex and text.
Type type_of(nb::dlpack::dtype type);
template <class Array>
Type type_of(const Array& array) {
  return type_of(array.dtype());
}

/// Throws TypeError: a call does not take arrays of this type, but those that are listed.
[[noreturn]] void refuse_type(nb::dlpack::dtype type, std::span<const Type> taken);

/// Calls work(T()) for the array's type, where it is among Ts; else throws TypeError.
template <class... Ts, class Array, class Work>
void with_type(const Array& array, const Work& work) {
  const Type type = type_of(array);
  constexpr Type kTaken[] = {kTypeOf<Ts>...};
  if (!((type == kTypeOf<Ts> && (work(Ts()), true)) || ...)) refuse_type(array.dtype(), kTaken);
}

/// The axes of an array, from that with the widest strides to the narrowest, which is where memory goes on.
std::vector<int> axes_by_stride(const Out& array);

/// True if the elements lie side by side when the axes are walked in this order; C order where it is empty.
template <class Array>
bool is_dense(const Array& array, std::span<const int> order = {}) {
  if (array.size() == 0) return true;
  std::int64_t step = 1;
  for (int k = static_cast<int>(array.ndim()) - 1; k >= 0; --k) {
    const auto axis = static_cast<std::size_t>(order.empty() ? k : order[static_cast<std::size_t>(k)]);
    const auto extent = static_cast<std::int64_t>(array.shape(axis));
    if (extent != 1 && array.stride(axis) != step) return false;
    step *= extent;
  }
  return true;
}

/// Throws BufferError unless the array lies dense in C order: one that a function writes to.
void require_dense(const Out& out);

/// Throws ValueError unless the array has as many elements.
template <class Array>
void require_size(const Array& array, std::size_t size) {
  if (array.size() != size)
    throw nb::value_error(("the arrays differ in size, " + std::to_string(array.size()) + " and " +
                           std::to_string(size) + "; give as many elements of each")
                              .c_str());
}

/// The array with its axes in this order.
template <class T>
Strided<const T> strided(const In& array, std::span<const int> order = {}) {
  if (array.ndim() > Strided<const T>::kMostAxes)
    throw nb::value_error("arrays with strides have at most 8 axes; reshape it");
  Strided<const T> view{reinterpret_cast<const T*>(array.data()), static_cast<int>(array.ndim())};
  for (std::size_t k = 0; k < array.ndim(); ++k) {
    const auto axis = order.empty() ? k : static_cast<std::size_t>(order[k]);
    view.extents[k] = static_cast<std::int64_t>(array.shape(axis));
    view.strides[k] = array.stride(axis);
  }
  return view;
}

template <class T, class Array>
T* data_of(const Array& array) {
  return reinterpret_cast<T*>(const_cast<void*>(static_cast<const void*>(array.data())));
}

/// The elements in the order of these axes: where they are, or packed into the workspace.
template <class T>
std::span<const T> dense(Context& context, Workspace& workspace, const In& array,
                         std::span<const int> order = {}) {
  if (is_dense(array, order)) return {data_of<const T>(array), array.size()};
  const auto count = static_cast<std::int64_t>(array.size());
  const std::span<T> packed(workspace.take<T>(count), array.size());
  pack(context, strided<T>(array, order), packed);
  return packed;
}

/// An array as pictures: N x H x W x C; N and C may be missing.
struct Frames {
  std::int64_t images = 1, height = 0, width = 0;
  int channels = 1;
};

/// Throws ValueError unless the array has 2 or 3 axes, and one more as a batch.
Frames frames_of(const nb::dlpack::dltensor& shape, bool batch);
template <class Array>
Frames frames_of(const Array& array, bool batch = false) {
  nb::dlpack::dltensor tensor;
  tensor.ndim = static_cast<std::int32_t>(array.ndim());
  tensor.shape = const_cast<std::int64_t*>(array.shape_ptr());
  return frames_of(tensor, batch);
}

/// The samples from one row to the next, where all else is dense; 0 where it is not.
template <class Array>
std::int64_t pitch_of(const Array& array, const Frames& frames, bool batch) {
  const std::size_t y = batch ? 1 : 0, x = y + 1;
  const std::int64_t row = frames.width * frames.channels;
  if (array.ndim() > x + 1 && frames.channels > 1 && array.stride(x + 1) != 1) return 0;
  if (frames.width > 1 && array.stride(x) != frames.channels) return 0;
  const std::int64_t pitch = frames.height > 1 ? array.stride(y) : row;
  if (pitch < row || (batch && frames.images > 1 && array.stride(0) != frames.height * pitch)) return 0;
  return pitch;
}

/// The picture, or pictures one beneath the other: where they are, or packed into the workspace.
template <class T>
View<const T> picture(Context& context, Workspace& workspace, const In& array, const Frames& frames,
                      bool batch = false) {
  const std::int64_t height = frames.images * frames.height;
  const std::int64_t pitch = pitch_of(array, frames, batch);
  if (pitch > 0) return {data_of<const T>(array), frames.width, height, frames.channels, pitch};
  return {dense<T>(context, workspace, array).data(), frames.width, height, frames.channels};
}

/// The picture that a function writes to. Throws BufferError where it has other strides than a pitch.
template <class T>
View<T> picture(const Out& array, const Frames& frames, bool batch = false) {
  const std::int64_t pitch = pitch_of(array, frames, batch);
  if (pitch == 0 && array.size() > 0) require_dense(array);
  return {data_of<T>(array), frames.width, frames.images * frames.height, frames.channels, pitch};
}

}  // namespace scanlens::python
