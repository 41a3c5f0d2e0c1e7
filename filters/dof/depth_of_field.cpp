#include "filters/depth_of_field.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/image.h"
#include "core/runtime/checks.h"
#include "core/runtime/count.h"
#include "core/runtime/dispatch.h"
#include "core/runtime/shared_table.h"
#include "core/spread/field_tiles.h"
#include "filters/bokeh_picture.h"
#include "filters/color_tables.h"
#include "filters/dof/backends.h"
#include "filters/dof/layered.h"
#include "filters/dof/passes.h"
#include "filters/dof_params.h"
#include "filters/dof_shape.h"
#include "filters/lens.h"

namespace scanlens {
namespace {

/// The term of the brightest float sample: all of 32 bits, or 24 where an alpha of 16 bits multiplies it.
float float_white_term(int channels) {
  return channels == 4 ? static_cast<float>(kLinear24) : 4294967040.f;
}

/// Keeps tables where the backend can read them, until the work that does so is queued.
class Held {
 public:
  explicit Held(Context& context) : context_(context) {}

  /// `owner` keeps the values.
  template <class Owner, class Value>
  const Value* readable(const std::shared_ptr<Owner>& owner, const std::vector<Value>& values) {
    const auto found = scanlens::readable(context_, std::shared_ptr<const Value>(owner, values.data()),
                                          static_cast<std::int64_t>(values.size()));
    held_.push_back(found);
    return found.get();
  }

  template <class Value>
  const Value* readable(const std::shared_ptr<const std::vector<Value>>& values) {
    return values ? readable(values, *values) : nullptr;
  }

 private:
  Context& context_;
  std::vector<std::shared_ptr<const void>> held_;
};

void require_codes(const LightRange& light, std::size_t sample_bytes) {
  SCANLENS_REQUIRE(!light.codes || static_cast<std::size_t>(light.codes->sample_bytes()) == sample_bytes,
                   "depth_of_field: the light of codes is for samples of another size");
}

/// An image of the same shape.
template <class T, class Like>
View<T> taken_like(Workspace& workspace, const View<Like>& image) {
  return View<T>(workspace.take<T>(image.width * image.height * image.channels), image.width, image.height,
                 image.channels);
}

/// The two steps: the table of the whole picture, then every pixel from the table.
template <class Sum, class T>
void blur_through_table(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                        View<T> out, const LightRange& light) {
  Workspace workspace(context);
  const View<Sum> table = taken_like<Sum>(workspace, image);
  Held held(context);
  Terms terms = dof_terms<T>(context, image.channels, light.most);
  if (light.codes) terms.lut = held.readable(light.codes->decode);
  summed_area_table(context, image, table, terms);
  DofTask<T, Sum> task{image,
                       disparity,
                       table,
                       out,
                       blur,
                       context.readable(linear16_to_srgb8(), kLinear16 + 1),
                       light.most / float_white_term(image.channels)};
  if (light.codes) {
    task.encode8 = held.readable(light.codes->encode8);
    task.encode16 = held.readable(light.codes->encode16);
  }
  if (!counts(context)) SCANLENS_DISPATCH(context, dof_gather, task);
}

/// The meaning of samples in layers.
template <class T>
LightScale light_scale(Context& context, Held& held, const LightRange& light, const DofStyle& style) {
  LightScale scale;
  scale.decode = dof_terms<T>(context, 1, light.most).lut;
  if constexpr (std::is_same_v<T, std::uint8_t>)
    scale.encode8 = context.readable(linear16_to_srgb8(), kLinear16 + 1);
  if constexpr (std::is_same_v<T, std::uint16_t>)
    scale.encode16 = context.readable(linear16_to_srgb16(), kLinear16 + 1);
  if (light.codes) {
    scale.decode = held.readable(light.codes->decode);
    scale.encode8 = held.readable(light.codes->encode8);
    scale.encode16 = held.readable(light.codes->encode16);
  }
  if constexpr (std::is_floating_point_v<T>) {
    scale.most = light.most;
    scale.white = light.white;
    scale.one = light_one(light);
  }
  scale.highlights = highlights_of(style);
  return scale;
}

/// The layers, of a picture and a result that do not overlap.
template <class T>
void blur_in_layers(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                    View<T> out, const LightRange& light, const DofStyle& style) {
  LayeredTask<T> task;
  task.image = image;
  task.disparity = disparity;
  task.out = out;
  task.lens = layered_lens(blur, style);
  task.layers = layers_of(style.quality);
  Held held(context);
  task.scale = light_scale<T>(context, held, light, style);
  const float widest = widest_circle(task.lens);
  const std::int64_t pixels = image.width * image.height;
  if (needs_pupils(style)) {
    const auto frame = frame_shapes(style, image.width, image.height, widest);
    task.frame = frame->task;
    task.frame.words = held.readable(frame, frame->words);
    task.lamps = lamp_task<T>(frame_discs(task.frame, widest), light, task.scale, pixels);
  } else {
    const auto shapes = shape_table(style, widest);
    for (int i = 0; i < kGroupSizes; ++i)
      task.shapes[i] = {held.readable(shapes, shapes->groups[i]), static_cast<int>(shapes->groups[i].size())};
    const auto discs = disc_table(style, widest);
    task.lamps = lamp_task<T>(discs->discs, light, task.scale, pixels);
    if (!discs->words.empty()) task.lamps.discs.words = held.readable(discs, discs->words);
  }
  task.wide_fill = wide_fill(style);
  task.fill_one = fill_one(widest, task.wide_fill);
  SCANLENS_DISPATCH(context, dof_layered, task);
}

/// Returns how far a picture in place of lamps reaches, in radii.
float reach_of_lamps(const DofStyle& style) {
  if (!style.picture) return 1;
  const auto [across, down] = BokehPicture::Outline(*style.picture, style.rotation, style.anamorphic).reach();
  return static_cast<float>(std::max(across, down));
}

/// Returns the most bytes that layers take of a workspace, whatever the depths, on the hungrier backend; and
/// the tables of pupils, which lie beside it.
std::int64_t bytes_of_layers(std::int64_t width, std::int64_t height, int channels, const Blur& blur,
                             const DofStyle& style) {
  // On CUDA the circles, those of both kinds of tiles, the lamps, the fill's table and the fields.
  const std::int64_t cells_across = fill_cells(static_cast<int>(width)),
                     cells_down = fill_cells(static_cast<int>(height));
  const float widest = widest_circle(layered_lens(blur, style));
  const NearLevels tiles = near_levels(width, height, widest);
  const FieldElements fields(width, height, std::int64_t{channels + 1} * layers_of(style.quality));
  const std::int64_t of_tiles = tiles.count() + tiles.fine.count() + 2 * (1 + fields.tiles);
  const std::int64_t of_lamps = (width / kLampBlock + 1) * (height / kLampBlock + 1) + kLampCosts + 2 +
                                2 * (most_lamps(width * height) + 1);
  const std::int64_t on_cuda = (width * height + of_tiles + of_lamps +
                                cells_across * cells_down * (channels + 1) + fields.fields + fields.sums) *
                                   4 +
                               static_cast<std::int64_t>(sizeof(LayerCuts)) +
                               summed_area_table_workspace(cells_across, cells_down * (channels + 1), 1, 4);
  constexpr int kRounding = 16;    // of shapes
  constexpr float kLarger = 3.5f;  // radii of stacks, which may be larger than their circles
  const float longest = needs_pupils(style) ? (widest + kLarger) * most_frame_reach(style)
                                            : widest * std::max(oval_length(style), reach_of_lamps(style));
  const auto reach = static_cast<int>(1.1f * longest) + kRounding;
  return std::max(on_cuda, cpu::dof_layered_bytes(width, height, channels, style, reach)) +
         frame_shapes_bytes(style, widest);
}

/// Blurs what is valid; `out` may be `image`.
template <class T>
void make(Context& context, View<const T> image, View<const float> disparity, const Blur& blur, View<T> out,
          const LightRange& light, const DofStyle& style) {
  if (style.quality == DofQuality::draft) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      if (fits_32_bits(blur, sizeof(T), image.channels))
        return blur_through_table<std::uint32_t>(context, image, disparity, blur, out, light);
    }
    return blur_through_table<std::uint64_t>(context, image, disparity, blur, out, light);
  }
  Workspace workspace(context);
  View<const T> from = image;
  if (overlap(image, out)) {
    const View<T> before = taken_like<T>(workspace, image);
    copy(context, image, before);
    from = before;
  }
  if (counts(context))
    workspace.take<std::byte>(bytes_of_layers(image.width, image.height, image.channels, blur, style));
  else
    blur_in_layers(context, from, disparity, blur, out, light, style);
}

/// Blurs the light of an image whose clipped lamps shine.
template <class T>
void make_recovered(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                    View<T> out, const LightRange& light, const DofStyle& style) {
  Workspace workspace(context);
  const View<float> before = taken_like<float>(workspace, image), after = taken_like<float>(workspace, image);
  Held held(context);
  const LightScale scale = light_scale<T>(context, held, light, style);
  recover_light(context, image, light.known, scale, style, before);
  const LightRange lit{.most = kMostRecovered * (1 + style.highlights)};
  make(context, View<const float>(before), disparity, blur, after, lit, style);
  show_recovered(context, View<const float>(before), View<const float>(after), image, scale, out);
}

/// Blurs light of one colour as another.
template <class T>
void make_light(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                View<T> out, const LightRange& light, const DofStyle& style) {
  const bool knows_light = std::is_floating_point_v<T> && light.most > 1;
  if (style.recover > 0 && style.quality != DofQuality::draft && !knows_light)
    make_recovered(context, image, disparity, blur, out, light, style);
  else
    make(context, image, disparity, blur, out, light, style);
}

/// Blurs red and blue by wider circles before the focus than green, and by narrower ones behind it.
template <class T>
void make_fringes(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                  View<T> out, const LightRange& light, const DofStyle& style) {
  const float half = style.fringe / 2;
  const Blur wide = widened(blur, style, half);
  Workspace workspace(context);
  const View<float> moved = taken_like<float>(workspace, disparity);
  const View<T> red_and_blue = taken_like<T>(workspace, image);
  move_circles(context, disparity, blur, wide, style, half, moved);
  make_light(context, image, View<const float>(moved), wide, red_and_blue, light, style);
  move_circles(context, disparity, blur, wide, style, -half, moved);
  make_light(context, image, View<const float>(moved), wide, out, light, style);
  take_red_and_blue(context, View<const T>(red_and_blue), out);
}

template <class T>
void make_edge_fringes(Context& context, const LightRange& light, const DofStyle& style, View<T> out) {
  Workspace workspace(context);
  const View<T> from = taken_like<T>(workspace, out);
  Held held(context);
  copy(context, View<const T>(out), from);
  shift_colors(context, View<const T>(from), light_scale<T>(context, held, light, style), style.edge_fringe,
               out);
}

/// Blurs, and adds what else a lens or a film would show.
template <class T>
void make_look(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
               View<T> out, const LightRange& light, const DofStyle& style, DofNotes& notes) {
  if (blur.tilt != 0 || blur.swing != 0) {
    Workspace workspace(context);
    const View<float> level = taken_like<float>(workspace, disparity);
    make_level(context, disparity, blur, level);
    Blur flat = blur;
    flat.tilt = flat.swing = 0;
    return make_look(context, image, View<const float>(level), flat, out, light, style, notes);
  }
  const bool has_colors = image.channels >= 3;
  Grain grain;
  if (style.grain > 0) grain = measured_grain<T>(context, image, disparity, blur, style);
  notes.no_grain = style.grain > 0 && !grain.found;
  if (style.fringe != 0 && has_colors)
    make_fringes(context, image, disparity, blur, out, light, style);
  else
    make_light(context, image, disparity, blur, out, light, style);
  if (style.edge_fringe != 0 && has_colors) make_edge_fringes(context, light, style, out);
  if (grain.found) add_grain(context, out, disparity, blur, style, grain);
}

}  // namespace

bool needs_passes(const Blur& blur, const DofStyle& style) {
  return blur.tilt != 0 || blur.swing != 0 || style.fringe != 0 || style.edge_fringe != 0 ||
         style.grain > 0 || style.recover > 0;
}

bool fits_32_bits(const Blur& blur, int sample_bytes, int channels) {
  if (sample_bytes != 1 || channels == 4) return false;
  const std::uint64_t side =
      2 * static_cast<std::uint64_t>(box_of_equal_area(blur.most).inner) + 3;  // of the outer box
  return side * side * kLinear16 <= UINT32_MAX;
}

void require_exact(const Blur& blur, std::int64_t width, std::int64_t height, int channels,
                   int sample_bytes) {
  SCANLENS_REQUIRE(
      blur.most >= 0 && blur.most <= kMostRadius && blur.scale >= 0 && std::isfinite(blur.scale) &&
          std::isfinite(blur.focus) && blur.before >= 0 && blur.behind >= 0 && std::isfinite(blur.tilt) &&
          std::isfinite(blur.swing),
      fmt::format(
          "depth_of_field: a blur of scale {}, focus {} and at most {} pixels is out of range (at most {})",
          blur.scale, blur.focus, blur.most, kMostRadius));
  // Colour terms of 24 bits times alpha terms of 16 leave 24 bits for the pixels of a box.
  constexpr std::int64_t kMostWeighedPixels = std::int64_t{1} << 24;
  const std::int64_t reach = std::int64_t{box_of_equal_area(blur.most).inner} + 1;  // of the outer box
  SCANLENS_REQUIRE(
      channels != 4 || sample_bytes == 1 || most_box_pixels(reach, width, height) <= kMostWeighedPixels,
      fmt::format(
          "depth_of_field: a radius of {} pixels is too large for a picture of more than 8 bits with alpha",
          blur.most));
}

void require_in_range(const LightRange& light) {
  const auto counts = [](float value) {
    return value > 0 && std::isnormal(value);
  };  // so that 1 / value is finite
  SCANLENS_REQUIRE(counts(light.most) && counts(light.white),
                   "depth_of_field: white, and the most light that is kept, must be positive");
  const auto is_light = [](float value) { return value >= 0 && std::isfinite(value); };
  SCANLENS_REQUIRE(is_light(light.lamps) && is_light(light.gathered),
                   "depth_of_field: the light of lamps must be a number from 0 on");
}

void require_in_range(const Blur& blur, const DofStyle& style) {
  for (const DofParam& param : kDofParams) {
    if (!param.style_at) continue;
    const double value = style.*param.style_at;
    SCANLENS_REQUIRE(value >= param.least && value <= param.most,
                     fmt::format("depth_of_field: {} lies between {} and {}, not at {}", param.name,
                                 param.least, param.most, value));
  }
  SCANLENS_REQUIRE(
      style.quality == DofQuality::draft || widest_circle(layered_lens(blur, style)) <= kMostRadius,
      fmt::format("depth_of_field: a blur of {} pixels, {} times before the focus and {} times behind it, "
                  "is out of range (at most {})",
                  blur.most, style.near, style.far, kMostRadius));
}

template <class T>
Terms dof_terms(Context& context, int channels, float most) {
  Terms terms;
  terms.weigh_by_alpha = channels == 4;
  if constexpr (std::is_same_v<T, std::uint8_t>) terms.lut = context.readable(srgb8_to_linear16(), 256);
  if constexpr (std::is_same_v<T, std::uint16_t>) terms.lut = context.readable(srgb16_to_linear24(), 65536);
  if constexpr (std::is_floating_point_v<T>) {
    terms.most = float_white_term(channels);
    terms.scale = terms.most / most;
  }
  return terms;
}

template <class T>
void depth_of_field(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                    View<T> out, const LightRange& light, const DofStyle& style, DofNotes* notes) {
  const char* call = "depth_of_field";
  require_valid(image, call, "image");
  require_valid(disparity, call, "disparity");
  require_valid(out, call, "out");
  SCANLENS_REQUIRE(image.channels == 1 || image.channels == 3 || image.channels == 4,
                   fmt::format("depth_of_field: {} channels are not supported", image.channels));
  SCANLENS_REQUIRE(same_size(image, out) && image.channels == out.channels,
                   fmt::format("depth_of_field: `image` is {} but `out` is {}", shape(image), shape(out)));
  SCANLENS_REQUIRE(
      same_size(image, disparity) && disparity.channels == 1,
      fmt::format("depth_of_field: `image` is {} but `disparity` is {}", shape(image), shape(disparity)));
  SCANLENS_REQUIRE(
      !light.known.data || (light.known.width == image.width && light.known.height == image.height),
      fmt::format("depth_of_field: `image` is {} but its known light is {}", shape(image),
                  shape(light.known)));
  SCANLENS_REQUIRE(!overlap(image, out) || (image.data == out.data && image.pitch == out.pitch),
                   "depth_of_field: `image` and `out` overlap without being the same view");
  SCANLENS_REQUIRE(!overlap(disparity, out), "depth_of_field: `disparity` and `out` overlap");
  SCANLENS_REQUIRE(
      image.width <= kMostDofSide && image.height <= kMostDofSide,
      fmt::format("depth_of_field: {} is more than {} pixels a side", shape(image), kMostDofSide));
  require_in_range(light);
  require_codes(light, sizeof(T));
  require_exact(blur, image.width, image.height, image.channels, sizeof(T));
  require_in_range(blur, style);
  DofNotes own;
  if (!image.empty()) make_look(context, image, disparity, blur, out, light, style, notes ? *notes : own);
}

std::int64_t depth_of_field_workspace(std::int64_t width, std::int64_t height, int channels, int sample_bytes,
                                      const Blur& blur, const DofStyle& style) {
  const auto take = [&]<class T>(Context& context, T* samples) {
    const View<T> image(samples, width, height, channels);
    const View<const float> disparity(nowhere<float>(2), width, height);
    DofNotes notes;
    make_look(context, View<const T>(image), disparity, blur, image, {}, style, notes);
  };
  return count_memory([&](Context& context) {
           if (sample_bytes == 1) return take(context, nowhere<std::uint8_t>(1));
           if (sample_bytes == 2) return take(context, nowhere<std::uint16_t>(1));
           take(context, nowhere<float>(1));
         })
      .workspace;
}

#define SCANLENS_INSTANTIATE(T)                                                                  \
  template Terms dof_terms<T>(Context&, int, float);                                             \
  template void depth_of_field(Context&, View<const T>, View<const float>, const Blur&, View<T>, \
                               const LightRange&, const DofStyle&, DofNotes*);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
