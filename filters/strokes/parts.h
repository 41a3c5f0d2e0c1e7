// Data between the stages of depth from strokes. All arrays are in the context's memory.
#pragma once

#include <cstdint>

#include "core/image.h"
#include "core/sparse.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/strokes/stroke_field.h"

namespace scanlens::strokes {

/// An array that lives as long as the field; indices before 0 down to -front are zeros or not used.
template <class T>
class Array {
 public:
  Array() = default;
  Array(const Context& context, std::int64_t count, std::int64_t front = 0)
      : image_(context, count + front, 1), front_(front) {}
  T* data() const { return const_cast<T*>(image_.view().data) + front_; }
  std::int64_t size() const { return image_.width() - front_; }
  std::span<T> span() const { return {data(), static_cast<std::size_t>(size())}; }

 private:
  Image<T> image_;
  std::int64_t front_ = 0;
};

/// The planes as kernels get them.
struct Planes {
  int count = 0;
  int slopes = 0;                ///< of them
  int slope[kMostStrokePlanes];  ///< their numbers
  StrokePlane plane[kMostStrokePlanes];
};

/// The bilateral grid of a photo.
struct Grid {
  std::int64_t vertices = 0;
  std::int64_t columns = 0, rows = 0;  ///< of the photo
  Array<std::uint32_t> of_pixel;       ///< the vertex of each pixel
  // The system, without what strokes add to its diagonal. The diagonal stands first in every row.
  Array<std::uint32_t> row_begin, neighbours;
  Array<float> values, diagonal, mass;
};
/// Grids of one photo: of cells of two sizes, each also with its cells half a cell further. Their mean shows
/// hardly any cells.
inline constexpr int kGrids = 4;

/// Makes grid `number` of them. Waits for the device.
Grid make_grid(Context& context, View<const std::uint8_t> photo, int number);

/// The share of each stroke in every vertex.
struct Shares {
  int planes = 0;        ///< columns of y and p; 0: none yet
  Array<float> y;        ///< the solution, rows of `planes`
  Array<float> p;        ///< its squares, which sum to 1 in a row
  Array<float> level;    ///< the sum of p times nearness, of level planes
  Array<Solved> solved;  ///< one
};
void find_shares(Context& context, const Grid& grid, const Planes& planes, View<const std::int16_t> numbers,
                 bool warm, Shares& shares);

/// The likeness of neighbours in a photo without texture: 1 to 0. right[i] links pixel i with i + 1, and is 0
/// in the last column; down[i] links it with the one below, and is 0 in the last row. A row of zeros stands
/// in front of both.
struct Links {
  Array<float> right, down;
};
Links make_links(Context& context, View<const std::uint8_t> photo);

/// Makes the result of what the layers have, along the links. `shares` null: `nearness` holds a map, which is
/// repaired. Both are kGrids.
void solve_edges(Context& context, const Grid* grids, const Links& links, const Planes& planes,
                 const Shares* shares, View<const std::int16_t> numbers, View<float> nearness,
                 Solved* solved);

/// Calls body(i) for i = 0 .. count - 1, in any order.
template <class Body>
struct OfIndex {
  std::int64_t count;
  Body body;
  static constexpr int kWidth = 1024;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t i = static_cast<std::int64_t>(y) * kWidth + x;
    if (i < count) body(i);
  }
};
template <class Body>
void for_each(Context& context, std::int64_t count, const Body& body) {
  constexpr int kWidth = OfIndex<Body>::kWidth;
  for_each_pixel(context, kWidth, (count + kWidth - 1) / kWidth, OfIndex<Body>{count, body});
}

template <class T>
struct SetZero {
  T* data;
  SCANLENS_HOST_DEVICE void operator()(std::int64_t i) const { data[i] = T{}; }
};

}  // namespace scanlens::strokes
