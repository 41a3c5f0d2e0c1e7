// Where a box is deposited: its sides, reflected at the borders of the picture.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// Pixels left .. right - 1 of rows top .. bottom - 1; may reach out of the picture.
struct SpreadBox {
  int left, right, top, bottom;
};

/// Where the running sum along one side changes, and by how much. Places at the end of the side or past it
/// are left out.
struct Ends {
  int count = 0;
  int place[3];
  int step[3];

  SCANLENS_HOST_DEVICE void add(int at, int change, int size) {
    if (at >= size) return;
    place[count] = at;
    step[count++] = change;
  }
};

/// The ends of first .. end - 1, with what lies before 0 and from `size` on reflected; it holds at least one
/// of 0 .. size - 1.
SCANLENS_HOST_DEVICE inline Ends folded_ends(int first, int end, int size) {
  Ends ends;
  if (first < 0) {
    ends.add(0, 2, size);
    ends.add(-first, -1, size);
  } else {
    ends.add(first, 1, size);
  }
  if (end > size) {
    const int back = 2 * size - end;
    ends.add(back > 0 ? back : 0, 1, size);
  } else {
    ends.add(end, -1, size);
  }
  return ends;
}

/// Whether no side is reflected or ends at the border.
SCANLENS_HOST_DEVICE inline bool lies_within(const SpreadBox& box, int width, int height) {
  return box.left >= 0 && box.top >= 0 && box.right < width && box.bottom < height;
}

/// Calls add(x, y, sign) for each deposit of the box.
template <class Add>
SCANLENS_HOST_DEVICE void for_each_corner(const SpreadBox& box, int width, int height, const Add& add) {
  if (lies_within(box, width, height)) {
    add(box.left, box.top, 1);
    add(box.right, box.top, -1);
    add(box.left, box.bottom, -1);
    add(box.right, box.bottom, 1);
    return;
  }
  const Ends across = folded_ends(box.left, box.right, width),
             down = folded_ends(box.top, box.bottom, height);
  for (int j = 0; j < down.count; ++j)
    for (int i = 0; i < across.count; ++i) add(across.place[i], down.place[j], across.step[i] * down.step[j]);
}

}  // namespace scanlens
