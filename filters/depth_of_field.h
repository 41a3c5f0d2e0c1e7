// Depth of field: every pixel blurred as widely as its distance from the plane in focus demands, in constant
// time.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/context.h"
#include "core/sat.h"
#include "core/view.h"
#include "filters/code_light.h"
#include "filters/dof_formula.h"

namespace scanlens {

/// Pixels of a picture's longer side: the gather's coordinates are int, and CUDA's grid has at most 65535
/// rows of blocks of 8.
inline constexpr std::int64_t kMostDofSide = 500000;

/// The quality of depth of field, from the fastest to the best. All take constant time per pixel.
enum class DofQuality {
  draft,  ///< every pixel gathers from a box around it: sharp colours bleed into blurred ones
  good,   ///< every pixel is spread into one of 3 layers of depth
  best,   ///< 6 layers, whose places follow the picture's depth, and rounder discs
};
inline constexpr std::string_view kDofQualityNames[] = {"draft", "good", "best"};

/// The shape of a blurred point of light. Drafts have boxes only.
enum class Bokeh { box, disc, hexagon, octagon };
inline constexpr std::string_view kBokehNames[] = {"box", "disc", "hexagon", "octagon"};

class BokehPicture;

struct DofStyle {
  DofQuality quality = DofQuality::draft;
  Bokeh bokeh = Bokeh::disc;
  float anamorphic = 1;  ///< height of a blurred point by its width, 0.25 .. 4; not of drafts
  float blades = 0;      ///< sides of a lamp's blur, 3 .. 16; fewer: as `bokeh` says; not of drafts
  float rotation = 0;    ///< of these sides, in degrees, clockwise, 0 .. 360; not of drafts
  float roundness = 0;   ///< of these sides: 0 straight .. 1 a disc; not of drafts
  /// The outline of a lamp's blur in place of `bokeh` and `blades`, without what follows up to `onion`; null:
  /// none. It outlives the call. Not of drafts.
  const BokehPicture* picture = nullptr;
  // Shapes that change over the frame, where 0 changes nothing; not of drafts.
  float cats_eye = 0;      ///< 0 .. 1: narrower towards the corners
  float swirl = 0;         ///< -1 .. 1: longer around the middle, below 0 towards it
  float doors = 0;         ///< 0 .. 1: cut straight at the left and the right
  float doors_down = 0;    ///< 0 .. 1: cut straight above and below
  float edge_squeeze = 0;  ///< -0.5 .. 2: higher by their width towards the left and the right
  // Light over a shape, where 0 is even; not of drafts.
  float spherical = 0;  ///< -1 .. 1: a bright rim behind the focus and a soft one before it; below 0 reversed
  float soft_edge = 0;  ///< 0 .. 1: less light towards the rim
  float mirror = 0;     ///< 0 .. 0.9: radius of a dark middle
  float onion = 0;      ///< 0 .. 1: rings; of lamps
  float near = 1;       ///< factors of the radius before the focus and behind it, 0 .. 8; not of drafts
  float far = 1;
  float highlights =
      0;  ///< of 8- and 16-bit pictures: white spreads 1 + so much light, 0 .. 15; not of drafts
  float highlights_from = 0.8f;   ///< 0 .. 1: the light, by that of white, that it begins at
  float highlights_range = 0.2f;  ///< 0.05 .. 1: so much brighter it is whole
  float recover =
      0;  ///< 0 .. 1: of pictures without light beyond white: clipped lamps shine as they did; not of drafts
  // Colours, in pixels of radius and of the corners.
  float fringe =
      0;  ///< -8 .. 8: red and blue are so much wider before the focus than green, and narrower behind it
  float edge_fringe = 0;   ///< -8 .. 8: red is read so far out of its place, and blue so far in
  float grain = 0;         ///< 0 .. 2: the share that is put back of the noise that the blur takes
  std::int64_t frame = 0;  ///< of a clip: each has noise of its own
};

/// The parts of a style that a picture did not allow.
struct DofNotes {
  bool no_grain = false;  ///< too little of it is sharp, so that its grain is not known
};

/// The meaning of samples: of floats the range, of integers the light of codes.
struct LightRange {
  float most = 1;   ///< the greatest light that is kept
  float white = 1;  ///< what is brighter is a lamp, which does not fill what near things hide; not of drafts
  float lamps = 0;  ///< the greatest light that lamps keep, if more than `most`; not of drafts
  float gathered = 0;  ///< the most that lamps beyond `most` come to at a place, blurred by 8 pixels or more
  const CodeLight* codes = nullptr;  ///< null: sRGB's; outlives the call
  View<const float> known =
      {};  ///< of clipped lamps, in place of a guess; of the image's size, and in its memory
};

/// out(x, y) = the mean, in linear light, of `image` over a box around (x, y). The box has the area of the
/// circle of confusion of disparity(x, y). The mean comes from a summed-area table with eight reads a channel
/// (two nested boxes, weighed so that the area grows continuously). At the borders the mean is over the part
/// of the box inside the picture. A pixel whose circle is no larger than itself is copied bit for bit.
///
/// Shapes: `image` and `out` equal, 1, 3 or 4 channels (the fourth is alpha, not premultiplied: colours are
/// weighed by it); `disparity` one channel, same width and height. Any pitch. Types: uint8_t and uint16_t
/// samples are encoded as `light.codes` says (alpha is not), float is linear light from 0 to `light.most`,
/// kept to 2^-32 of it (2^-24 with alpha). A disparity that is no number counts as the most blurred.
/// Aliasing: `out` may be `image` itself; any other overlap is an error. Determinism: the table is exact; CPU
/// and CUDA differ by rounding of the last float operations only, and so by at most one code value at 8 bits.
/// Memory: depth_of_field_workspace bytes of workspace. Source: GPU Gems 3, section 39.3.2; disc and box: see
/// dof_formula.h.
///
/// All that was for drafts. The other qualities spread each pixel's light to a shape with the area of its
/// circle of confusion (core/spread.h), in the layer of its depth. The layers are laid one over the other
/// from the front. The parts that near things hide are filled from their surroundings
/// (filters/dof/README.md). A pixel in focus is copied bit for bit, unless something blurred lies before it.
/// Light beyond 64 times that of integers' white, and of floats beyond `light.most`, is clipped. Determinism:
/// layers are integers and the same bits everywhere; pictures made of them may differ by a code value between
/// backends. A call with CUDA that measures grain waits for the result, and cannot be captured.
template <class T>
void depth_of_field(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                    View<T> out, const LightRange& light = {}, const DofStyle& style = {},
                    DofNotes* notes = nullptr);

/// Throws Error (usage) when the blur is out of range (not finite, or wider than kMostRadius), or a box could
/// sum to more than 64 bits hold: with alpha and more than 8 bits a box has at most 2^24 pixels.
void require_exact(const Blur& blur, std::int64_t width, std::int64_t height, int channels, int sample_bytes);

/// Throws Error (usage) when white or the most light is not above 0, not finite, or below 2^-126, or what
/// lamps have is below 0 or not finite.
void require_in_range(const LightRange& light);

/// Throws Error (usage) when a factor of the style is out of its range, or the blur with it is.
void require_in_range(const Blur& blur, const DofStyle& style);

/// True if boxes up to radius `blur.most` fit a table of 32-bit sums. 24-bit terms and alpha-weighed ones
/// never do.
bool fits_32_bits(const Blur& blur, int sample_bytes, int channels);

/// The terms that depth of field sums for samples of type T.
template <class T>
Terms dof_terms(Context& context, int channels, float most = 1);

std::int64_t depth_of_field_workspace(std::int64_t width, std::int64_t height, int channels, int sample_bytes,
                                      const Blur& blur, const DofStyle& style = {});

}  // namespace scanlens
