// Arrays that other libraries hand over by DLPack or as mdspan, without a copy.
//
// This header knows no dlpack.h: a Tensor is any struct with the members of DLTensor (DLPack 0.2 and later).
// Results point into the tensor's memory, which has to stay.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/context.h"
#include "core/held/dlpack.h"
#include "core/strided.h"
#include "core/view.h"

namespace scanlens {
/// Returns the backend that can use the tensor's memory: host memory is the CPU's, pinned or not, and managed
/// memory CUDA's. Throws Error (usage) for other devices.
template <class Tensor>
Backend backend_of_dlpack(const Tensor& tensor) {
  const int device = static_cast<int>(tensor.device.device_type);
  if (device == dlpack::kCpu || device == dlpack::kCudaHost) return Backend::cpu;
  if (device == dlpack::kCuda || device == dlpack::kCudaManaged) return Backend::cuda;
  dlpack::refuse("the tensor is on a device of type " + std::to_string(device) + ", neither host nor CUDA");
}

/// All elements of a dense tensor of any rank, in C order. Throws Error (usage) for another type, device or
/// stride, and names what it got; so do those below.
template <class T, class Tensor>
std::span<T> span_of_dlpack(const Tensor& tensor) {
  backend_of_dlpack(tensor);
  T* data = dlpack::data_of<T>(tensor);
  const std::int64_t count = dlpack::count_of(tensor);
  const bool dense =
      tensor.ndim == 0 || count <= 1 ||
      (dlpack::is_dense(tensor, 0, tensor.ndim) &&
       (tensor.shape[tensor.ndim - 1] == 1 || dlpack::stride_of(tensor, tensor.ndim - 1) == 1));
  if (!dense)
    dlpack::refuse("the tensor of shape " + dlpack::shape_name(tensor) + " is not dense; pack() it");
  return {data, static_cast<std::size_t>(count)};
}

/// The tensor by its strides, for pack().
template <class T, class Tensor>
Strided<T> strided_of_dlpack(const Tensor& tensor) {
  backend_of_dlpack(tensor);
  Strided<T> array;
  if (tensor.ndim > array.kMostAxes)
    dlpack::refuse("the tensor has " + std::to_string(tensor.ndim) + " axes; 8 are possible");
  array.data = dlpack::data_of<T>(tensor);
  array.axes = static_cast<int>(tensor.ndim);
  for (int k = 0; k < array.axes; ++k) {
    array.extents[static_cast<std::size_t>(k)] = tensor.shape[k];
    array.strides[static_cast<std::size_t>(k)] = dlpack::stride_of(tensor, k);
  }
  return array;
}

/// The array of an mdspan (std, cuda::std, Kokkos) by its strides, for pack().
template <class M>
concept MdSpan = requires(const M& array, typename M::rank_type axis) {
  array.data_handle();
  array.extent(axis);
  array.stride(axis);
};
template <MdSpan M>
Strided<typename M::element_type> strided_of(const M& array) {
  static_assert(M::rank() <= Strided<typename M::element_type>::kMostAxes, "strided_of: 8 axes are possible");
  Strided<typename M::element_type> same;
  same.data = array.data_handle();
  same.axes = static_cast<int>(M::rank());
  for (typename M::rank_type k = 0; k < M::rank(); ++k) {
    same.extents[k] = static_cast<std::int64_t>(array.extent(k));
    same.strides[k] = static_cast<std::int64_t>(array.stride(k));
  }
  return same;
}

/// An array of height x width, or height x width x channels; rows may have a pitch.
template <class T>
View<T> view_of(const Strided<T>& array) {
  if (array.axes != 2 && array.axes != 3)
    dlpack::refuse("the array has " + std::to_string(array.axes) + " axes; 2 or 3 make a view");
  const std::int64_t height = array.extents[0], width = array.extents[1];
  const std::int64_t channels = array.axes == 3 ? array.extents[2] : 1;
  const std::int64_t pitch = height > 1 ? array.strides[0] : width * channels;
  const bool side_by_side = (channels <= 1 || array.strides[2] == 1) &&
                            (width <= 1 || array.strides[1] == channels) &&
                            (height <= 1 || pitch >= width * channels);
  if (channels < 1 || channels > 0x7FFFFFFF || !side_by_side)
    dlpack::refuse("the array of " + std::to_string(height) + " x " + std::to_string(width) + " x " +
                   std::to_string(channels) +
                   " elements is no view: channels, and pixels, have to lie side by side; pack() it");
  return View<T>(array.data, width, height, static_cast<int>(channels), pitch);
}
template <MdSpan M>
View<typename M::element_type> view_of(const M& array) {
  return view_of(strided_of(array));
}
template <class T, class Tensor>
View<T> view_of_dlpack(const Tensor& tensor) {
  return view_of(strided_of_dlpack<T>(tensor));
}

/// An axis of a dense tensor, for inclusive_scan_axis(); negative ones count from the last.
template <class Tensor>
Axis axis_of_dlpack(const Tensor& tensor, int axis) {
  const int place = axis < 0 ? axis + static_cast<int>(tensor.ndim) : axis;
  if (place < 0 || place >= tensor.ndim)
    dlpack::refuse("the tensor of " + std::to_string(tensor.ndim) + " axes has no axis " +
                   std::to_string(axis));
  Axis of{1, tensor.shape[place], 1};
  for (int k = 0; k < place; ++k) of.outer *= tensor.shape[k];
  for (int k = place + 1; k < tensor.ndim; ++k) of.inner *= tensor.shape[k];
  return of;
}

}  // namespace scanlens
