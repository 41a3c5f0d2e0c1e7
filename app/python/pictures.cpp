// Depth of field, and what is in focus.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/python/contexts.h"
#include "app/python/declared.h"
#include "app/python/groups.h"
#include "core/image.h"
#include "core/moments.h"
#include "filters/bokeh_picture.h"
#include "filters/color.h"
#include "filters/depth/fill.h"
#include "filters/depth_of_field.h"
#include "filters/dof_params.h"
#include "filters/dof_shape.h"
#include "filters/lens.h"
#include "filters/statistics.h"
#include "filters/strokes/stroke_field.h"

namespace scanlens::python {
namespace {

void require_map(const In& image, const In& map) {
  if (type_of(map) != Type::f32) throw nb::type_error("the map is not float32; convert it");
  if (map.ndim() != 2 || map.shape(0) != image.shape(0) || map.shape(1) != image.shape(1))
    throw nb::value_error("the map has another size than the image; give one as high and wide as the image");
}

/// The least and greatest number of a map, and true if there is NaN. Waits for the device.
struct MapFacts {
  float least, greatest;
  bool has_nan;
};

MapFacts facts_of(Context& context, const In& map) {
  Workspace workspace(context);
  auto* const found = workspace.take<Moments>(1);
  moments(context, dense<float>(context, workspace, map), found);
  Moments host;
  copy_bytes(context, found, sizeof(host), &host, sizeof(host), sizeof(host), 1);
  context.synchronize();
  // A map that holds infinity is refused, so that the mean is NaN for no other reason.
  return {static_cast<float>(host.least), static_cast<float>(host.greatest), std::isnan(host.mean)};
}

std::string text_of(float number) {
  return nb::cast<std::string>(nb::str(nb::float_(static_cast<double>(number))));
}

/// Throws ValueError unless a map of floats holds what it has to: 0 to 1, or 1/metre. Returns true if it has
/// unknown values, which are NaN.
bool check_map(In map, const std::string& name, bool metric, std::uintptr_t stream) {
  if (map.size() == 0) return false;
  const Placed placed(stream, map);
  MapFacts facts;
  run_at(placed, [&](Context& context) { facts = facts_of(context, map); });
  if (facts.least > facts.greatest)
    throw nb::value_error((name + " holds NaN alone; give a map with a known pixel").c_str());
  const float wrong = facts.least < 0 ? facts.least : facts.greatest;
  if (facts.least < 0 || !std::isfinite(facts.greatest) || (!metric && facts.greatest > 1))
    throw nb::value_error(
        (name + " holds " + text_of(wrong) +
         (metric ? ", which is no distance; give metres above 0, or 1/metre, and NaN where unknown"
                 : "; give floats of 0 to 1, such as the map divided by its greatest value, or "
                   "unsigned integers, which are divided by their range"))
            .c_str());
  return facts.has_nan;
}

/// Fills what is unknown by the farther of its neighbours, as the program does.
void fill_map(In map, Out filled, std::uintptr_t stream) {
  require_dense(filled);
  require_size(filled, map.size());
  const Frames frames = frames_of(map);
  const Placed placed(stream, map, filled);
  run_at(placed, [&](Context& context) {
    Workspace workspace(context);
    const std::span<const float> from = dense<float>(context, workspace, map);
    Image<float> host(frames.width, frames.height);
    const auto bytes = static_cast<std::int64_t>(from.size_bytes());
    copy_bytes(context, from.data(), bytes, host.view().data, bytes, bytes, 1);
    context.synchronize();
    fill_unknown(host.view());
    copy_bytes(context, host.view().data, bytes, data_of<float>(filled), bytes, bytes, 1);
    context.synchronize();
  });
}

nb::list dof_declarations() {
  nb::list all;
  for (const DofParam& param : kDofParams) {
    nb::dict one = declared(param, param.is_blur() ? Unit::percent : Unit::none);
    one["metric"] = param.needs == DofNeed::metric;
    all.append(one);
  }
  return all;
}

/// The value of a parameter from its text. Throws ValueError for what the command line does not take either.
Amount amount_of(const DofParam& param, const std::string& name, const std::string& text, bool metric) {
  if (!param.names.empty()) {
    const auto found = std::find(param.names.begin(), param.names.end(), text);
    if (found != param.names.end()) return {static_cast<double>(found - param.names.begin())};
    std::string choices;
    for (const std::string_view& one : param.names)
      choices += (choices.empty() ? "" : ", ") + std::string(one);
    throw nb::value_error((name + " is '" + text + "'; give one of " + choices).c_str());
  }
  const std::optional<Amount> amount = parse_dof(param, text);
  const bool is_length = amount && param.measure == Measure::metres_or_share && amount->unit != Unit::share;
  if (amount && (!is_length || metric || (amount->unit != Unit::metres && amount->value <= param.most)))
    return *amount;
  std::string range = name_of(param.measure) + std::string(examples_of(param.measure));
  if (is_length)
    range = "a number of 0 to 1, since the depth has no unit";
  else if (!param.is_open())
    range +=
        ", " + text_of(static_cast<float>(param.least)) + " to " + text_of(static_cast<float>(param.most));
  throw nb::value_error((name + " is " + text + "; give " + range).c_str());
}

/// The parameters that Python gives, as texts.
DofGiven given_by(const nb::dict& texts, bool metric) {
  DofGiven given;
  for (const DofParam& param : kDofParams) {
    std::string name(param.name);
    std::replace(name.begin(), name.end(), '-', '_');
    if (texts.contains(name.c_str()))
      given.*param.given_at = amount_of(param, name, nb::cast<std::string>(texts[name.c_str()]), metric);
  }
  return given;
}

/// The outline of lights from a picture of the host: codes of sRGB, or floats of light.
BokehPicture outline_of(const In& picture) {
  const Frames frames = frames_of(picture);
  Image<float> light(frames.width, frames.height, frames.channels);
  const std::int64_t row = frames.width * frames.channels;
  with_type<std::uint8_t, std::uint16_t, float>(picture, [&]<class T>(T) {
    run_at(Placed(0, picture), [&](Context& context) {
      Workspace workspace(context);
      const std::span<const T> from = dense<T>(context, workspace, picture);
      for (std::int64_t i = 0; i < std::ssize(from); ++i) {
        float value = from[static_cast<std::size_t>(i)];
        if constexpr (std::is_integral_v<T>) {
          value /= std::numeric_limits<T>::max();
          if (frames.channels != 4 || i % 4 != 3) value = srgb_to_linear(value);
        }
        light.view().row(i / row)[i % row] = value;
      }
    });
  });
  return BokehPicture(std::as_const(light).view());
}

/// Throws ValueError where an outline would have no effect.
void require_outlined(const DofStyle& style) {
  if (sides_of(style) > 0 || needs_pupils(style))
    throw nb::value_error(
        "bokeh_picture is the outline of lights; leave out blades, bokeh and what changes lights over the "
        "frame");
  if (style.quality == DofQuality::draft)
    throw nb::value_error("bokeh_picture has no effect with quality='draft'; leave one of both out");
}

void blurred(In image, In disparity, Out out, nb::dict texts, bool metric, float most, float white,
             nb::object bokeh_picture, std::uintptr_t stream) {
  const Frames frames = frames_of(image), to = frames_of(out), map = frames_of(disparity);
  require_map(image, disparity);
  if (type_of(image) != type_of(out))
    throw nb::type_error("out is of another type than the image; give one of the image's type");
  const DofGiven given = given_by(texts, metric);
  DofValues values;
  values.take(given, frames.width);
  if (metric && !(values.focus > 0)) throw nb::value_error("focus is 0; give metres above 0");
  const Amount widest = given.blur.value_or(Amount(values.blur, Unit::percent));
  const std::optional<double> radius =
      metric && !given.blur ? std::nullopt : std::optional(radius_of(widest, frames.width));
  DofStyle style = values.style(frames.width);
  std::optional<BokehPicture> outline;
  if (!bokeh_picture.is_none()) {
    require_outlined(style);
    style.picture = &outline.emplace(outline_of(nb::cast<In>(bokeh_picture)));
  }
  const Placed placed(stream, image, disparity, out);
  with_type<std::uint8_t, std::uint16_t, float>(image, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      DepthSpan span;
      // A lens knows no widest blur: what the map can reach decides how large the tables are.
      if (metric && disparity.size() > 0) {
        const MapFacts facts = facts_of(context, disparity);
        span = {true, facts.least, facts.greatest};
      }
      Blur blur = blur_of(values, metric ? 1 / values.focus : values.focus, span, frames.width, radius);
      if (!radius) blur = bounded(blur, span.least, span.most);
      depth_of_field<T>(context, picture<T>(context, workspace, image, frames),
                        picture<float>(context, workspace, disparity, map), blur, picture<T>(out, to),
                        {most, white}, style);
    });
  });
}

std::optional<float> sharpest(In image, In disparity, std::uintptr_t stream) {
  const Frames frames = frames_of(image);
  require_map(image, disparity);
  const Frames map = frames_of(disparity);
  const Placed placed(stream, image, disparity);
  std::optional<float> found;
  with_type<std::uint8_t, std::uint16_t, float>(image, [&]<class T>(T) {
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
  const Frames frames = frames_of(photo), map = frames_of(nearness);
  if (type_of(photo) != Type::u8 || type_of(numbers) != Type::i16 || type_of(nearness) != Type::f32)
    throw nb::type_error("the photo is not uint8, or the strokes not int16; convert them");
  require_size(numbers, nearness.size());
  std::vector<StrokePlane> given;
  for (const auto& [at_origin, per_column, per_row] : planes)
    given.push_back({at_origin, per_column, per_row});
  const Placed placed(stream, photo, numbers, nearness);
  run_at(placed, [&](Context& context) {
    Workspace workspace(context);
    StrokeField field(context, picture<std::uint8_t>(context, workspace, photo, frames));
    const auto covers = picture<std::int16_t>(context, workspace, numbers, map);
    const auto found = picture<float>(nearness, map);
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
  module.def("dof_declarations", &dof_declarations);
  module.def("check_map", &check_map);
  module.def("fill_map", &fill_map);
  module.def("depth_of_field", &blurred, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg("bokeh_picture").none(), nb::arg());
  module.def("autofocus", &sharpest);
  module.def("spread_strokes", &spread_strokes);
}

}  // namespace scanlens::python
