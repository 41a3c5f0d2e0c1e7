// The moments of an input together with a guide over the squares around pixels. The guided filter fits lines
// to them, as does all that carries values along a picture's edges.
#pragma once

#include <cstdint>
#include <type_traits>

#include "filters/parts/box_moments.h"

namespace scanlens {

/// input = slope * guide + offset.
struct Line {
  float slope = 0, offset = 0;
};

/// The slope of the line through a box that He, Sun and Tang's "Guided Image Filtering" (ECCV 2010), equation
/// (5), fits, where greater slopes cost `epsilon` each; its offset, equation (6), is mean - slope *
/// guide.mean.
SCANLENS_HOST_DEVICE inline float slope_of(const CrossMoments& box, float epsilon) {
  return box.covariance / (box.guide.variance + epsilon);
}

/// Cross moments over boxes, of a guide's BoxMoments and the table of CrossTerms.
template <class Sum>
struct BoxCrossMoments {
  BoxMoments<Sum> guide;
  View<const Sum> table;  ///< 3 channels
  int radius = guide.radius;

  struct Row : cpu::RowOfCrossMoments<Sum> {
    explicit Row(const BoxCrossMoments& boxes)
        : cpu::RowOfCrossMoments<Sum>(boxes.guide.sums, boxes.guide.squares, boxes.table,
                                      boxes.guide.radius) {}
  };
  int channels() const { return guide.channels() + table.channels; }

  SCANLENS_HOST_DEVICE CrossMoments at(int x, int y, int) const {
    using Wide = SquareSum<Sum>;
    const Box box =
        clipped_box(x, y, guide.radius, static_cast<int>(table.width), static_cast<int>(table.height));
    const auto cross = [&](int c) {
      return static_cast<Wide>(box_sum(table, box.x0, box.y0, box.x1, box.y1, c));
    };
    return cross_moments_of(CrossSums<Wide>{
        static_cast<Wide>((box.x1 - box.x0 + 1) * (box.y1 - box.y0 + 1)),
        static_cast<Wide>(box_sum(guide.sums, box.x0, box.y0, box.x1, box.y1, 0)),
        box_sum(guide.squares, box.x0, box.y0, box.x1, box.y1, 0), cross(0), joined(cross(1), cross(2))});
  }
};

/// The same weighed by alpha. Where there is next to none the variance is -1, and the rest means nothing.
template <class Sum>
struct WeighedBoxCrossMoments {
  static constexpr Sum kLeastWeight = std::is_floating_point_v<Sum> ? Sum(0x1p-20) : Sum(0);

  WeighedBoxMoments<Sum> guide;
  View<const Sum> table;  ///< 4 channels

  SCANLENS_HOST_DEVICE CrossMoments at(int x, int y, int) const {
    const Box box =
        clipped_box(x, y, guide.radius, static_cast<int>(table.width), static_cast<int>(table.height));
    const auto sum = [&](int c) { return box_sum(guide.table, box.x0, box.y0, box.x1, box.y1, c); };
    const auto cross = [&](int c) { return box_sum(table, box.x0, box.y0, box.x1, box.y1, c); };
    const Sum weight = sum(3);
    if (!(weight > kLeastWeight)) return {{0.f, -1.f}, 0.f, 0.f};
    return cross_moments_of(
        CrossSums<Sum>{weight, sum(0), joined(sum(1), sum(2)), cross(0), joined(cross(1), cross(2))});
  }
};

/// The terms whose sums go with the guide's: the input, its product with the guide in two parts, and, where
/// there are four, the weight; split and weighed as WeighedTerms.
template <class T, class Term>
struct CrossTerms {
  View<const Term> guide;
  View<const T> input;
  int c;
  View<Term> terms;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const T* const pixel = &input(x, y);
    Term* const out = &terms(x, y);
    Term weight = 1;
    if (terms.channels == 4) out[3] = weight = weight_of<Term>(pixel[3]);
    if constexpr (std::is_floating_point_v<Term>) {
      const double product = static_cast<double>(weight) * guide(x, y) * pixel[c];
      out[0] = weight * pixel[c];
      out[1] = static_cast<float>(product);
      out[2] = static_cast<float>(product - out[1]);
    } else {
      const std::uint32_t product = static_cast<std::uint32_t>(guide(x, y)) * pixel[c];
      out[0] = pixel[c];
      out[1] = static_cast<Term>(product >> 16);
      out[2] = static_cast<Term>(product & 0xFFFF);
    }
  }
};

/// Calls use(moments) with the cross moments of a guide and channel c of `input`. The guide is a plane of
/// uint16_t or float whose moments are given; `input` has integers or floats as the guide has. Where the
/// guide's moments are weighed, the input's fourth channel has to be the alpha that weighs them. All else as
/// with_box_moments.
template <class T, class Term, class GuideMoments, class Use>
void with_cross_moments(Context& context, View<const Term> guide, const GuideMoments& moments,
                        View<const T> input, int c, const Use& use) {
  using Sum = typename GuideMoments::Entry;
  constexpr bool kWeighed = std::is_same_v<GuideMoments, WeighedBoxMoments<Sum>>;
  constexpr int kTerms = kWeighed ? 4 : 3;
  Workspace workspace(context);
  const std::int64_t samples = input.width * input.height * kTerms;
  const View<Term> terms(workspace.take<Term>(samples), input.width, input.height, kTerms);
  const View<Sum> table(workspace.take<Sum>(samples), input.width, input.height, kTerms);
  for_each_pixel(context, input.width, input.height, CrossTerms<T, Term>{guide, input, c, terms});
  Terms how;
  how.weigh_by_alpha = kWeighed && !std::is_floating_point_v<Term>;
  summed_area_table(context, terms, table, how);
  using Boxes = std::conditional_t<kWeighed, WeighedBoxCrossMoments<Sum>, BoxCrossMoments<Sum>>;
  use(Boxes{moments, table});
}

}  // namespace scanlens
