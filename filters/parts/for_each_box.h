// A function of a pixel and of the box around it, for every pixel, on both backends when included
// from a .cu file.
#pragma once

#include <algorithm>
#include <type_traits>

#include "filters/parts/for_each_pixel.h"
#include "filters/parts/rows_cpu.h"

namespace scanlens {

/// The values of `boxes` around a pixel: here(c) of channel c.
template <class Boxes>
struct AroundPixel {
  Boxes boxes;
  int x, y;
  SCANLENS_HOST_DEVICE auto operator()(int c = 0) const { return boxes.at(x, y, c); }
};

/// The same for pixel i of a run of them.
template <class Entries>
struct InRun {
  Entries entries;
  int i;
  SCANLENS_HOST_DEVICE auto operator()(int c = 0) const { return entries.at(i, c); }
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
/// y, c). `body` is as for_each_pixel has it, and writes there. The CPU takes a run of a row at a time where
/// `boxes` say how: Boxes::Row, made of `boxes` with their channels(), has load(y, x0, x1), and entries()
/// with at(x - x0, c). Where there is a body.make_run(x0, x1, y, entries), that is called instead.
template <class T, class Boxes, class Body>
void for_each_box(Context& context, const Boxes& boxes, const View<T>& out, std::int64_t first_row,
                  const Body& body) {
  const int first = static_cast<int>(first_row);
  const std::int64_t width = out.width, height = out.height;
  if constexpr (requires { typename Boxes::Row; }) {
    if (counts(context))
      return count_beside(context, cpu::row_buffers_bytes(width, height, boxes.radius, boxes.channels()));
    if (!context.on_cuda())
      return cpu::for_each_rows(height, [&](std::int64_t begin, std::int64_t end) {
        typename Boxes::Row row(boxes);
        const Body own = body;  // a copy that no written byte can be part of
        const int run = cpu::run_of_pixels(width, boxes.radius);
        for (int x0 = 0; x0 < width; x0 += run)
          for (int y = static_cast<int>(begin); y < end; ++y) {
            const int x1 = std::min(x0 + run, static_cast<int>(width));
            row.load(first + y, x0, x1);
            const auto entries = row.entries();
            if constexpr (requires { own.make_run(x0, x1, y, entries); }) {
              own.make_run(x0, x1, y, entries);
            } else {
              for (int x = x0; x < x1; ++x)
                own(x, y, InRun<std::remove_const_t<decltype(entries)>>{entries, x - x0});
            }
          }
      });
  }
  for_each_pixel(context, width, height, WithBox<Boxes, Body>{boxes, first, body});
}

}  // namespace scanlens
