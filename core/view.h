// A view points at a two-dimensional array of samples somewhere in memory; it owns nothing and is cheap to
// copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__CUDACC__)
#define SCANLENS_HOST_DEVICE __host__ __device__
#else
#define SCANLENS_HOST_DEVICE
#endif

namespace scanlens {

/// Sample (x, y, c) lies at data[y * pitch + x * channels + c]; channels are interleaved. The pitch counts
/// samples, not bytes, and is at least width * channels; what lies between the end of a row and the pitch is
/// never written. The caller (and the Image that owns it) knows if `data` is host or device memory; the view
/// does not.
template <class T>
struct View {
  T* data = nullptr;
  std::int64_t width = 0;   ///< pixels in a row
  std::int64_t height = 0;  ///< rows
  int channels = 1;         ///< samples in a pixel
  std::int64_t pitch = 0;   ///< samples from the start of a row to the start of the next

  View() = default;
  /// A pitch of 0 is that of rows without gaps.
  SCANLENS_HOST_DEVICE View(T* samples, std::int64_t columns, std::int64_t rows, int samples_a_pixel = 1,
                            std::int64_t samples_a_row = 0)
      : data(samples),
        width(columns),
        height(rows),
        channels(samples_a_pixel),
        pitch(samples_a_row ? samples_a_row : columns * samples_a_pixel) {}

  /// A view of mutable samples serves wherever one of constant samples is asked for.
  template <class U>
  requires std::is_same_v<T, const U> SCANLENS_HOST_DEVICE View(const View<U>& other)
      : View(other.data, other.width, other.height, other.channels, other.pitch) {}

  SCANLENS_HOST_DEVICE T* row(std::int64_t y) const { return data + y * pitch; }
  SCANLENS_HOST_DEVICE T& operator()(std::int64_t x, std::int64_t y, int c = 0) const {
    return data[y * pitch + x * channels + c];
  }
  SCANLENS_HOST_DEVICE std::int64_t row_samples() const { return width * channels; }
  SCANLENS_HOST_DEVICE bool empty() const { return width == 0 || height == 0; }

  /// The samples from the first to one past the last, gaps between rows included.
  SCANLENS_HOST_DEVICE std::int64_t extent() const {
    return empty() ? 0 : (height - 1) * pitch + row_samples();
  }

  /// The samples as those of another type of their size.
  template <class As>
  View<As> as() const {
    static_assert(sizeof(As) == sizeof(T));
    return View<As>(reinterpret_cast<As*>(data), width, height, channels, pitch);
  }

  /// The rectangle of `w` x `h` pixels whose first pixel is (x, y). Must lie inside.
  SCANLENS_HOST_DEVICE View region(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h) const {
    return View(data + y * pitch + x * channels, w, h, channels, pitch);
  }
};

/// A view that a function reads, where another parameter says what T is: views of mutable samples convert.
template <class T>
using ConstView = View<const std::type_identity_t<T>>;

template <class T, class U>
SCANLENS_HOST_DEVICE bool same_size(const View<T>& a, const View<U>& b) {
  return a.width == b.width && a.height == b.height;
}

/// True if the memory of two views may share a byte (their extents intersect).
template <class T, class U>
bool overlap(const View<T>& a, const View<U>& b) {
  const auto first = [](const auto& v) { return reinterpret_cast<std::uintptr_t>(v.data); };
  const auto last = [&](const auto& v) {
    return first(v) + static_cast<std::uintptr_t>(v.extent()) * sizeof(*v.data);
  };
  return !a.empty() && !b.empty() && first(a) < last(b) && first(b) < last(a);
}

}  // namespace scanlens
