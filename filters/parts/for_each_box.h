// A function of a pixel and of the box around it, for every pixel, on both backends when included
// from a .cu file.
#pragma once

#include <type_traits>

#include "filters/parts/for_each_pixel.h"

namespace scanlens {

/// What `boxes` have around a pixel: here(c) of channel c.
template <class Boxes>
struct AroundPixel {
  Boxes boxes;
  int x, y;
  SCANLENS_HOST_DEVICE auto operator()(int c = 0) const { return boxes.at(x, y, c); }
};

/// The same from a row of them.
template <class Entries>
struct InRow {
  Entries entries;
  int x;
  SCANLENS_HOST_DEVICE auto operator()(int c = 0) const { return entries.at(x, c); }
};

template <class Boxes, class Body>
struct WithBox {
  Boxes boxes;
  int first;
  Body body;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    body(x, y, AroundPixel<Boxes>{boxes, x, first + y});
  }
};

/// Calls body(x, y, here) once for every pixel of `out`, in any order, where here(c) is boxes.at(x, first +
/// y, c). `body` is as for_each_pixel has it, and writes there. The CPU makes a row at a time where `boxes`
/// say how: Boxes::Row, made of `boxes`, has load(y), and entries() with at(x, c). It
/// calls body.make_row(y, entries) instead where there is one.
template <class T, class Boxes, class Body>
void for_each_box(Context& context, const Boxes& boxes, const View<T>& out, std::int64_t first_row,
                  const Body& body) {
  const int first = static_cast<int>(first_row);
  const std::int64_t width = out.width, height = out.height;
  if constexpr (requires { typename Boxes::Row; }) {
    if (!context.on_cuda())
      return cpu::for_each_rows(height, [&](std::int64_t begin, std::int64_t end) {
        typename Boxes::Row row(boxes);
        const Body own = body;  // a copy that no written byte can be part of
        for (int y = static_cast<int>(begin); y < end; ++y) {
          row.load(first + y);
          const auto entries = row.entries();
          if constexpr (requires { own.make_row(y, entries); }) {
            own.make_row(y, entries);
          } else {
            for (int x = 0; x < width; ++x)
              own(x, y, InRow<std::remove_const_t<decltype(entries)>>{entries, x});
          }
        }
      });
  }
  for_each_pixel(context, width, height, WithBox<Boxes, Body>{boxes, first, body});
}

}  // namespace scanlens
