// Passes before and after a blur, on every backend: the tilted plane, the colours of a lens, lamps that
// were clipped, and grain.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"
#include "filters/depth_of_field.h"
#include "filters/dof/layers_formula.h"
#include "filters/dof/light.h"

namespace scanlens {

/// The lens of a blur in a style; drafts have no sides.
inline LayeredLens lens_of(const Blur& blur, const DofStyle& style) {
  const bool is_draft = style.quality == DofQuality::draft;
  return {blur, is_draft ? 1 : style.near, is_draft ? 1 : style.far};
}

/// Writes disparities that lie as far from `blur.focus` as those of the map do from the tilted plane.
void make_level(Context& context, View<const float> disparity, const Blur& blur, View<float> out);

/// Returns the blur that holds circles that are `by` pixels of radius wider.
Blur widened(const Blur& blur, const DofStyle& style, float by);

/// Writes disparities whose signed circles in `wide` are `by` pixels of radius wider than those in `blur`. No
/// circle changes by more than half of itself, so that what is in focus stays so.
void move_circles(Context& context, View<const float> disparity, const Blur& blur, const Blur& wide,
                  const DofStyle& style, float by, View<float> out);

/// Copies red and blue of another image of three channels or four.
template <class T>
void take_red_and_blue(Context& context, View<const T> from, View<T> out);

/// Reads red farther from the middle, and blue nearer to it: by `pixels` in the corners. Light is between
/// pixels as on a line, in 256 steps. The views do not overlap.
template <class T>
void shift_colors(Context& context, View<const T> from, const LightScale& scale, float pixels, View<T> out);

/// Light that recovering gives to white, at most.
inline constexpr float kMostRecovered = 16;

/// Makes the light of an image, white being 1, in which clipped lamps shine as they did: `style.recover` of
/// the way to `known`, or to the guess where that is empty. Light of `style.highlights` is in it, too. A lamp
/// is a spot of white within 17 x 17 pixels. The wider the white by the rim around it, the brighter it was;
/// the rim has its colour.
template <class T>
void recover_light(Context& context, View<const T> image, View<const float> known, const LightScale& scale,
                   const DofStyle& style, View<float> light);

/// Writes `after`, which was made of `before`, as samples; `image` where both are alike. `out` may be
/// `image`.
template <class T>
void show_recovered(Context& context, View<const float> before, View<const float> after, View<const T> image,
                    const LightScale& scale, View<T> out);

/// The deviation of a photo's noise by brightness, in codes of 8 bits, and what neighbours share of it.
struct Grain {
  static constexpr int kBands = 16;  ///< of codes, from black to white

  struct Channel {
    float deviation[kBands] = {};
    int shared = 0;  ///< the noise is filtered by (shared, 16, shared) along rows and columns
  };

  bool found = false;  ///< true if enough of the photo is sharp
  Channel colors[3];
};

/// Measures the noise of what a blur leaves sharp, at no more than 2^18 pixels that lie evenly. Second
/// differences of 1 and of 2 pixels are seldom near 0 where there is texture, and as often as the noise has
/// it elsewhere: their lower quartile is the noise's. Waits for CUDA. The same on every backend, but that
/// floats are rounded to codes of 16 bits by another power function.
template <class T>
Grain measured_grain(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                     const DofStyle& style);

/// Adds `style.grain` times the noise that a blur takes from each pixel of `out`. The noise follows from the
/// place, the channel and `style.frame` alone.
template <class T>
void add_grain(Context& context, View<T> out, View<const float> disparity, const Blur& blur,
               const DofStyle& style, const Grain& grain);

}  // namespace scanlens
