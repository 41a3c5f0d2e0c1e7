// Depth of field, and what is in focus.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "core/error.h"
#include "core/image.h"
#include "core/reduce.h"
#include "filters/depth_of_field.h"
#include "filters/dof_params.h"
#include "filters/lens.h"
#include "filters/statistics.h"
#include "filters/strokes/stroke_field.h"

namespace scanlens::python {
namespace {

/// The place of a name in a list. Throws ValueError that names all.
template <class Choice, std::size_t kCount>
Choice choice_of(const char* what, const std::string& name, const std::string_view (&names)[kCount]) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found != std::end(names)) return static_cast<Choice>(found - std::begin(names));
  std::string text = std::string("depth_of_field: ") + what + " is '" + name + "', but has to be one of ";
  for (const std::string_view& one : names) text += (&one == names ? "" : ", ") + std::string(one);
  throw nb::value_error(text.c_str());
}

void require_map(const char* call, const In& image, const In& map) {
  if (type_of(map) != Type::f32)
    throw nb::type_error((std::string(call) + ": the disparity is float32").c_str());
  if (map.ndim() != 2 || map.shape(0) != image.shape(0) || map.shape(1) != image.shape(1))
    throw nb::value_error((std::string(call) + ": the disparity is as high and wide as the image").c_str());
}

/// The least and greatest of an array. Waits for the device.
std::pair<float, float> extremes(Context& context, std::span<const float> values) {
  Workspace workspace(context);
  float* const both = workspace.take<float>(2);
  reduce<float, float, Min>(context, values, both);
  reduce<float, float, Max>(context, values, both + 1);
  float found[2];
  copy_bytes(context, both, sizeof(found), found, sizeof(found), sizeof(found), 1);
  context.synchronize();
  return {found[0], found[1]};
}

/// The arguments of a call from Python.
struct Look {
  double focus, in_focus, blur;
  std::string quality, bokeh;
  double anamorphic, blades, rotation, near, far, highlights;
  float most, white;
};

DofStyle style_of(const Look& look) {
  return {.quality = choice_of<DofQuality>("quality", look.quality, kDofQualityNames),
          .bokeh = choice_of<Bokeh>("bokeh", look.bokeh, kBokehNames),
          .anamorphic = static_cast<float>(look.anamorphic),
          .blades = static_cast<float>(look.blades),
          .rotation = static_cast<float>(look.rotation),
          .near = static_cast<float>(look.near),
          .far = static_cast<float>(look.far),
          .highlights = static_cast<float>(look.highlights)};
}

/// The blur of a lens, (focal length, f-number, sensor width), or of a relative focus.
Blur blur_of(nb::handle lens, const Look& look, std::int64_t width) {
  if (lens.is_none()) return relative_blur(look.focus, look.blur, look.in_focus);
  const auto of = [&](int k) { return nb::cast<double>(nb::float_(lens[k])); };
  DofValues values;
  values.focal_length = of(0);
  values.f_number = of(1);
  values.sensor_width = of(2);
  values.in_focus = look.in_focus;
  if (!(look.focus > 0)) throw nb::value_error("depth_of_field: the focus of a lens is above 0 metres");
  DepthSpan metres;
  metres.metric = true;
  return scanlens::blur_of(values, 1 / look.focus, metres, width, {});
}

void blurred(In image, In disparity, Out out, nb::object lens, nb::tuple asked, std::uintptr_t stream) {
  const auto number = [&](int k) { return nb::cast<double>(nb::float_(asked[k])); };
  const Look look{number(0),
                  number(1),
                  number(2),
                  nb::cast<std::string>(asked[3]),
                  nb::cast<std::string>(asked[4]),
                  number(5),
                  number(6),
                  number(7),
                  number(8),
                  number(9),
                  number(10),
                  static_cast<float>(number(11)),
                  static_cast<float>(number(12))};
  const Frames frames = frames_of("depth_of_field", image);
  require_map("depth_of_field", image, disparity);
  if (type_of(image) != type_of(out))
    throw nb::type_error("depth_of_field: out has another type than the image");
  const Frames to = frames_of("depth_of_field", out), map = frames_of("depth_of_field", disparity);
  const Blur widest = blur_of(lens, look, frames.width);
  const bool has_lens = !lens.is_none();
  const DofStyle style = style_of(look);
  const Placed placed(stream, image, disparity, out);
  with_type<std::uint8_t, std::uint16_t, float>("depth_of_field", image, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      Blur blur = widest;
      // A lens knows no widest blur: what the map can reach decides how large the tables are.
      if (has_lens && disparity.size() > 0) {
        const auto [least, greatest] = extremes(context, dense<float>(context, workspace, disparity));
        blur = bounded(blur, least, greatest);
      }
      depth_of_field<T>(context, picture<T>(context, workspace, image, frames),
                        picture<float>(context, workspace, disparity, map), blur,
                        picture<T>("depth_of_field", out, to), {look.most, look.white}, style);
    });
  });
}

std::optional<float> sharpest(In image, In disparity, std::uintptr_t stream) {
  const Frames frames = frames_of("autofocus", image);
  require_map("autofocus", image, disparity);
  const Frames map = frames_of("autofocus", disparity);
  const Placed placed(stream, image, disparity);
  std::optional<float> found;
  with_type<std::uint8_t, std::uint16_t, float>("autofocus", image, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      found = sharpest_disparity<T>(context, picture<T>(context, workspace, image, frames),
                                    picture<float>(context, workspace, disparity, map));
    });
  });
  return found;
}

/// Planes are rows of three numbers: nearness at pixel (0, 0), by column and by row.
void spread_strokes(In photo, In numbers, const std::vector<std::array<float, 3>>& planes, Out nearness,
                    bool repairs, std::uintptr_t stream) {
  const Frames frames = frames_of("depth_from_strokes", photo),
               map = frames_of("depth_from_strokes", nearness);
  if (type_of(photo) != Type::u8 || type_of(numbers) != Type::i16 || type_of(nearness) != Type::f32)
    throw nb::type_error("depth_from_strokes: the photo is uint8, strokes are int16, nearness is float32");
  require_size("depth_from_strokes", numbers, nearness.size());
  std::vector<StrokePlane> given;
  for (const auto& [at_origin, per_column, per_row] : planes)
    given.push_back({at_origin, per_column, per_row});
  const Placed placed(stream, photo, numbers, nearness);
  run_at(placed, [&](Context& context) {
    Workspace workspace(context);
    StrokeField field(context, picture<std::uint8_t>(context, workspace, photo, frames));
    const auto covers = picture<std::int16_t>(context, workspace, numbers, map);
    const auto found = picture<float>("depth_from_strokes", nearness, map);
    if (repairs)
      field.repair(given, covers, found);
    else
      field.spread(given, covers, found);
    // The field's memory goes with it.
    context.synchronize();
  });
}

}  // namespace

void bind_pictures(nb::module_& module) {
  module.def("depth_of_field", &blurred, nb::arg("image"), nb::arg("disparity"), nb::arg("out"),
             nb::arg("lens").none(), nb::arg("look"), nb::arg("stream"));
  module.def("autofocus", &sharpest);
  module.def("spread_strokes", &spread_strokes);
}

}  // namespace scanlens::python
