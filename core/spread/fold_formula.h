// Where a box is deposited: its sides, reflected at the borders of the picture. Stated once for C++, CUDA and
// GLSL.
#ifndef SCANLENS_CORE_SPREAD_FOLD_FORMULA_H
#define SCANLENS_CORE_SPREAD_FOLD_FORMULA_H

#include "core/exact_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// Pixels left .. right - 1 of rows top .. bottom - 1; may reach out of the picture.
struct SpreadBox {
  int left, right, top, bottom;
};

/// Where the running sum along one side changes, and by how much. Places at the end of the side or past it
/// are left out.
struct Ends {
  int count;
  int place[3];
  int step[3];
};

SCANLENS_SHARED void add_end(SCANLENS_INOUT(Ends) ends, int at, int change, int size) {
  if (at >= size) return;
  ends.place[ends.count] = at;
  ends.step[ends.count] = change;
  ++ends.count;
}

/// The ends of first .. end - 1, with what lies before 0 and from `size` on reflected; it holds at least one
/// of 0 .. size - 1.
SCANLENS_SHARED Ends folded_ends(int first, int end, int size) {
  Ends ends;
  ends.count = 0;
  if (first < 0) {
    add_end(ends, 0, 2, size);
    add_end(ends, -first, -1, size);
  } else {
    add_end(ends, first, 1, size);
  }
  if (end > size) {
    int back = 2 * size - end;
    add_end(ends, back > 0 ? back : 0, 1, size);
  } else {
    add_end(ends, end, -1, size);
  }
  return ends;
}

/// Whether no side is reflected or ends at the border.
SCANLENS_SHARED bool lies_within(SpreadBox box, int width, int height) {
  return box.left >= 0 && box.top >= 0 && box.right < width && box.bottom < height;
}

#ifdef __cplusplus
/// Calls add(x, y, sign) for each deposit of the box.
template <class Add>
SCANLENS_SHARED void for_each_corner(const SpreadBox& box, int width, int height, const Add& add) {
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
#endif
#endif
