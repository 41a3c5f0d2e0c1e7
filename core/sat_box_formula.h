// Boxes, and what their sums in a summed-area table tell. Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_CORE_SAT_BOX_FORMULA_H
#define SCANLENS_CORE_SAT_BOX_FORMULA_H

#include "core/shared_formula.h"

#ifdef __cplusplus
namespace scanlens {
using std::fma;
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
  return Box(x < reach ? 0 : x - reach, y < reach ? 0 : y - reach,
             width - 1 - x < reach ? width - 1 : x + reach, height - 1 - y < reach ? height - 1 : y + reach);
}

SCANLENS_SHARED float box_area(Box box) {
  return float(box.x1 - box.x0 + 1) * float(box.y1 - box.y0 + 1);
}

/// The sum over a box from four entries of an inclusive table: at its last pixel, at the last one of the row
/// above it, of the column left of it, and of both. What lies outside the picture is zero. A macro, because
/// GLSL has no type for sums of 64 bits: `plus` and `minus` are functions of two entries, modulo 2^32 or 2^64.
#define SCANLENS_BOX_SUM(plus, minus, last, above, left, corner) \
  plus(minus(minus(last, above), left), corner)

/// The mean of `count` terms.
SCANLENS_SHARED double mean_of_sum(double count, double sum) {
  return sum / count;
}

/// The variance of `count` terms (of the population: divided by `count`), from their sum and their squares'.
/// The two products may agree in nearly all digits, so their difference is taken with what rounding took from
/// the second (Kahan's difference of products): where the sums are exact, which integers below 2^53 are, the
/// result is good to a few units in its last place, and equal terms have the variance 0.
SCANLENS_SHARED double variance_of_sums(double count, double sum, double squares) {
  double product = sum * sum;
  double lost = fma(sum, sum, -product);
  double difference = fma(count, squares, -product) - lost;
  return difference > 0.0 ? difference / (count * count) : 0.0;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
