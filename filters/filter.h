// A filter: a name, parameters, and ways to run on a whole picture and on bands of its rows.
// filters/README.md says how to add one.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/context.h"
#include "core/view.h"
#include "filters/amount.h"

namespace scanlens {

/// A parameter of a filter, a double in the filter's own struct: `least` <= value <= `most`.
struct Param {
  std::string_view name;
  std::string_view help;
  double least, most;
  double value;  ///< taken where none is given
  bool whole;    ///< only whole numbers
  /// The parameter's place in a struct of the filter's type.
  double& (*in)(std::any& params);
  /// The names of the values 0, 1, 2 … of a choice; empty for a quantity.
  std::span<const std::string_view> names = {};
  Measure measure = Measure::number;
};

/// The second input of a filter, beside the picture: one float per pixel, in 0..1 where it says no more; or
/// an overlay, which has a size of its own.
enum class MapKind {
  none,
  mask,       ///< 1 where the filter works fully, 0 where it leaves the picture as it is
  depth,      ///< disparity: 1 nearest, 0 farthest
  any_depth,  ///< the same, or 1/metre where the call is metric
  picture,    ///< an overlay of four channels: linear light, and alpha that it is not multiplied by
  words,      ///< an overlay of one channel: the share of each pixel that letters cover
};

/// Returns "mask", "depth", "picture" or "words", as calls name it, and "" for none.
std::string_view name_of(MapKind map);
inline bool is_depth(MapKind map) {
  return map == MapKind::depth || map == MapKind::any_depth;
}
constexpr bool is_overlay(MapKind map) {
  return map == MapKind::picture || map == MapKind::words;
}

/// Rows of packed samples of 1 (uint8_t), 2 (uint16_t) or 4 bytes (float).
struct RowFormat {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 1;
  int sample_bytes = 1;

  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels * sample_bytes);
  }
};

struct Filter;
struct Tones;  // filters/tones.h
struct Where;  // filters/where.h

/// A filter with the values of its parameters: FilterCall{&kBox, BoxParams{.radius = 3}}.
struct FilterCall {
  const Filter* filter = nullptr;
  std::any params;             ///< the filter's own struct
  View<const float> map = {};  ///< for a filter that takes one: in the context's memory
  bool metric = false;         ///< true if a map of any_depth is in 1/metre
  std::string map_file = {};   ///< the file to read the map from, where a person names one; or the words
  std::string font_file = {};  ///< of the words' letters; empty for a font of the system
  /// For a filter in linear light: the light of the picture's codes. Null for sRGB.
  std::shared_ptr<const Tones> tones = {};
  std::vector<const Param*> of_size = {};   ///< which are percent of the picture's size until at_size()
  std::shared_ptr<const Where> where = {};  ///< the part that it changes; null for all
  View<const std::uint16_t> weights = {};   ///< of that part, as large as the picture, where the map lies
  std::string depth_file = {};  ///< the file of the depth that `where` asks for, where the map is no depth
};

class BandWork;  // filters/bands/work.h

/// Made by filter_of (filters/parts/filter_of.h). `params` is always the filter's own struct.
struct Filter {
  template <class T>
  using Run = void (*)(Context& context, const FilterCall& call, View<const T> image, View<T> out);

  std::string_view name;
  std::string_view help;
  std::span<const Param> params;
  MapKind map;
  bool same_everywhere;  ///< integers have the same bits on every backend, else they are at most a code apart
  bool takes_tones;      ///< true if it works in linear light, by the call's tones
  std::string_view example;  ///< parameters of a typical call, "long=2048", if the defaults make no call
  std::any (*defaults)();
  /// Returns the problem with values that are each within their bounds; empty for none.
  std::string (*problem)(const std::any& params);
  /// Returns the format of the result; null for filters that keep the picture's size.
  RowFormat (*output)(const std::any& params, const RowFormat& format);
  /// Returns the row of the picture at which the result begins, below 0 above it; null for filters that leave
  /// pixels where they are, or scale them. Maps of the picture move as its pixels do.
  std::int64_t (*first_row)(const std::any& params, const RowFormat& format);
  /// An output pixel depends on pixels at most this many columns and rows away.
  std::int64_t (*reach)(const std::any& params);
  std::tuple<Run<std::uint8_t>, Run<std::uint16_t>, Run<float>> run;
  /// The work on a picture of this format that comes in bands of `band_rows` rows, at most its height.
  std::unique_ptr<BandWork> (*open_bands)(Context& context, const FilterCall& call, const RowFormat& format,
                                          std::int64_t band_rows);
};

/// Pixels a side, at most, of pictures that filters take.
inline constexpr std::int64_t kMostFilterSide = std::int64_t{1} << 30;

/// The reach of filters whose pixels may depend on any other: bands of such a filter are made from the whole
/// picture.
inline constexpr std::int64_t kReachesAll = kMostFilterSide;

/// Returns the format of the result, of one filter or of several one after the other.
RowFormat output_of(const FilterCall& call, const RowFormat& format);
RowFormat output_of(std::span<const FilterCall> calls, const RowFormat& format);

/// Filters a picture. Throws Error (usage) for arguments that do not fit.
///
/// Shapes: `out` is output_of() `image`; 1, 3 or 4 channels; the fourth is alpha that colours are not
/// multiplied by. The call's map and its weights, where it has some, are as wide and high as `image`, but
/// an overlay has any size. Any pitch.
/// Types: uint8_t, uint16_t and float; floats are finite. Aliasing: `out` may be `image` itself where the
/// size stays; any other overlap is an error. Determinism: of integers the same bits on every backend, where
/// `same_everywhere`, and on bands of any height; of floats the same bits in every run of one backend.
/// Captures: filters that take tones, and levels, read the host or wait for it, and cannot be captured.
template <class T>
void run_filter(Context& context, const FilterCall& call, View<const T> image, View<T> out);

/// Runs the filters one after the other: each filters what the one before made. None means a copy.
template <class T>
void run_filters(Context& context, std::span<const FilterCall> calls, View<const T> image, View<T> out);

/// Returns the call with percent turned into pixels, on a picture of this format. Throws Error (usage) where
/// those are out of bounds.
FilterCall at_size(FilterCall call, const RowFormat& format);

/// Returns the calls so, one after the other.
std::vector<FilterCall> at_size(std::vector<FilterCall> calls, RowFormat format);

/// True if pixels lie elsewhere in the result, or are of another size.
inline bool changes_geometry(const Filter& filter) {
  return filter.output || filter.first_row;
}

/// Throws Error (usage) unless the call's values are within their parameters' bounds and go together. The map
/// of a filter that takes one must fit a picture of this size.
void require_fits(const FilterCall& call, std::int64_t width, std::int64_t height);

}  // namespace scanlens
