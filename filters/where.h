// The part of a picture that a filter changes: pixels chosen in words (filters/expression.h), with soft edges
// where a feather is given. Every filter that leaves pixels in their places takes one, as FilterCall::where.
//
// The choice becomes weights of 16 bits. A weight of w / 65535 gives that share of the filter's result, in
// sample values as they are, and leaves the rest: integers are rounded to nearest.
//
// - A feather in metres, or in a share of depth that has no unit, widens each comparison of depth by < <= >
// >=
//   with a number to a ramp of that width, which is half on the number. "and" takes the lesser weight, "or"
//   the greater.
// - A feather in pixels is the width of the ramp at an edge of the choice, half of it to each side. Edges
// that
//   are the photo's own stay sharp: the weights are carried along a guide by the guided filter (He, Sun and
//   Tang; filters/guided.cu), over boxes that reach a quarter of the feather. The guide is depth where the
//   choice asks for it, whose jumps lie on the photo's edges, with a deviation of 0.02; else the photo's
//   luma, with 0.05.
//
// All weights have the same bits on the CPU and CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/context.h"
#include "core/view.h"
#include "filters/amount.h"
#include "filters/filter.h"
#include "filters/selection.h"
#include "filters/statistics.h"

namespace scanlens {

struct Where {
  std::string text;  ///< the expression
  Selection selection;
  Unit depth_unit = Unit::none;  ///< of the numbers that depth is compared with, as parse_selection says
  Amount feather = {};           ///< Unit::pixels, metres, or share; 0 for hard edges

  std::int64_t feather_pixels() const;
};

/// Pixels of a feather, at most.
inline constexpr double kMostFeather = 4000;

/// Reads an expression, and a feather as people write it: "8", "8px", "0.5m", "5%"; "" for none. Throws
/// ExpressionError for the expression, and Error (usage) "feather is ...".
Where parse_where(std::string_view expression, std::string_view feather);

/// The plane that a feather follows, where weigh() writes it: the square root of luma as light, or of the
/// share of disparity between these two. Empty for none.
struct FeatherGuide {
  View<std::uint16_t> plane;
  float least = 0, most = 1;
};

/// Writes the weights of rows of a picture, before a feather in pixels. Row 0 of all views is row `top` of
/// the picture; disparity and mask may be empty where the selection does not ask for them. Any pitch. Throws
/// Error (usage) where the selection asks for what is not there.
template <class T>
void weigh(Context& context, const Where& where, const PixelSources<T>& rows, std::int64_t top,
           View<std::uint16_t> weights, const FeatherGuide& guide = {});

/// Feathers the weights of a whole picture by pixels, along its `guide`; they are left as they are where the
/// feather is of no pixels. All views are packed.
void feather(Context& context, const Where& where, View<const std::uint16_t> guide,
             View<std::uint16_t> weights);

/// Returns the bytes that `feather` takes beside its arguments, at most.
std::int64_t feathering_bytes(const Where& where, std::int64_t width, std::int64_t height);

/// Takes of `out`, which a filter made of `image`, the shares that the weights say.
template <class T>
void blend(Context& context, View<const T> image, View<const std::uint16_t> weights, View<T> out);

/// Opens the bands of a call: those of its filter, and where it has weights, blended with the picture.
std::unique_ptr<BandWork> open_bands(Context& context, const FilterCall& call, const RowFormat& format,
                                     std::int64_t band_rows);

}  // namespace scanlens
