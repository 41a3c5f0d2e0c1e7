// The sides of a box, reflected at the borders of the picture: a box is deposited there. Stated once for C++,
// CUDA and GLSL.
#ifndef SCANLENS_CORE_SPREAD_FOLD_FORMULA_H
#define SCANLENS_CORE_SPREAD_FOLD_FORMULA_H

#include "core/held/exact_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// Pixels left .. right - 1 of rows top .. bottom - 1; may reach out of the picture.
struct SpreadBox {
  int left, right, top, bottom;
};

/// A place along one side where the running sum changes, and by how much; 0 for no change.
struct End {
  int place, step;
};

/// The change of running sums inside for a change of 1 at `at`, which may lie outside. Values before 0 and
/// from `size` on are reflected. Up to two places change: this is the first or the second. A box is a change
/// of 1 at its first place and of -1 past its last; a change alone would reflect to that and a constant,
/// which is the same for both. A value that would be reflected twice is lost.
SCANLENS_SHARED End folded_change(int i, int at, int size) {
  End change;
  if (i == 0) {
    int back = 2 * size - at;
    change.place = at < 0 ? 0 : (at < size ? at : (back > 0 ? back : 0));
    change.step = at < 0 ? 2 : (at < size ? 1 : (at > size ? -1 : 0));
  } else {
    change.place = -at;
    change.step = at < 0 && -at < size ? -1 : 0;
  }
  return change;
}

/// End i, of up to three, of the side first .. end - 1. One that lies outside is its mirror image, and
/// nothing where that would be reflected again.
SCANLENS_SHARED End folded_end(int i, int first, int end, int size) {
  int mirror = first >= size ? 2 * size : 0;
  bool outside = end <= 0 || first >= size;
  int from = outside ? mirror - end : first, to = outside ? mirror - first : end;
  End folded;
  if (i < 2) {
    folded = folded_change(i, from, size);
  } else {
    folded = folded_change(0, to, size);
    folded.step = -folded.step;
  }
  if (to <= 0 || from >= size) folded.step = 0;
  return folded;
}

/// True if no side is reflected or ends at the border.
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
#ifdef __CUDA_ARCH__
#pragma unroll 1  // arrays of ends would lie in memory; unrolled, registers would be spilled
  for (int i = 0; i < 9; ++i) {
    const End across = folded_end(i % 3, box.left, box.right, width),
              down = folded_end(i / 3, box.top, box.bottom, height);
    const int step = across.step * down.step;
    if (step != 0) add(across.place, down.place, step);
  }
#else
  End across[3];
  for (int i = 0; i < 3; ++i) across[i] = folded_end(i, box.left, box.right, width);
  for (int j = 0; j < 3; ++j) {
    const End down = folded_end(j, box.top, box.bottom, height);
    if (down.step == 0) continue;
    for (const End& end : across)
      if (end.step != 0) add(end.place, down.place, end.step * down.step);
  }
#endif
}

}  // namespace scanlens
#endif
#endif
