// Boxes, and what their sums in a summed-area table tell. Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_CORE_SAT_BOX_FORMULA_H
#define SCANLENS_CORE_SAT_BOX_FORMULA_H

#include "core/held/shared_formula.h"

#ifdef __cplusplus
namespace scanlens {
using std::floor;
#endif

/// Pixels x0 .. x1 and y0 .. y1, all inclusive.
struct Box {
  int x0;
  int y0;
  int x1;
  int y1;
};

/// The pixels at most `reach` columns and rows from (x, y) that lie in a picture of width x height.
SCANLENS_SHARED Box clipped_box(int x, int y, int reach, int width, int height) {
  Box box;
  box.x0 = x < reach ? 0 : x - reach;
  box.y0 = y < reach ? 0 : y - reach;
  box.x1 = width - 1 - x < reach ? width - 1 : x + reach;
  box.y1 = height - 1 - y < reach ? height - 1 : y + reach;
  return box;
}

SCANLENS_SHARED float box_area(Box box) {
  return float(box.x1 - box.x0 + 1) * float(box.y1 - box.y0 + 1);
}

/// The sum over a box from four entries of an inclusive table: at its last pixel, at the last one of the row
/// above it, of the column left of it, and of both. Entries outside the picture are zero. A macro, because
/// GLSL has no type for sums of 64 bits: `plus` and `minus` are functions of two entries, modulo 2^32 or
/// 2^64.
#define SCANLENS_BOX_SUM(plus, minus, last, above, left, corner) plus(minus(minus(last, above), left), corner)

/// The mean of `count` terms.
SCANLENS_SHARED double mean_of_sum(double count, double sum) {
  return sum / count;
}

/// The variance of `count` terms (of the population: divided by `count`), from their sum and their squares'.
/// Both are first moved to the whole number nearest to the mean. The textbook's difference loses nearly all
/// digits where terms are large and alike. Fused multiplication would save them, but is not the same in every
/// GLSL. For whole terms whose squares sum to less than 2^53 only the last steps round: the result is good to
/// a few units in its last place, and 0 for equal terms.
SCANLENS_SHARED double variance_of_sums(double count, double sum, double squares) {
  double middle = floor(sum / count + 0.5);
  double rest = sum - count * middle;               // the sum of term - middle
  double spread = squares - middle * (sum + rest);  // the sum of (term - middle)^2
  double variance = (spread - rest * (rest / count)) / count;
  return variance < 0.0 ? 0.0 : variance;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
