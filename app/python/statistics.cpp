// Statistics of the pixels that an expression chooses.
#include "filters/statistics.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "app/python/contexts.h"
#include "app/python/groups.h"
#include "filters/expression.h"

namespace scanlens::python {
namespace {

nb::dict dictionary(const CodeCounts& values, const std::vector<double>& percents) {
  nb::dict found;
  found["count"] = values.total();
  if (values.total() == 0) return found;
  found["mean"] = values.mean();
  found["deviation"] = values.deviation();
  found["least"] = values.least();
  found["greatest"] = values.greatest();
  nb::dict percentiles;
  for (const double percent : percents) percentiles[nb::float_(percent)] = values.percentile(percent);
  found["percentiles"] = percentiles;
  return found;
}

nb::dict dictionary(const FloatStatistics& values, const std::vector<double>& percents) {
  nb::dict found;
  found["count"] = values.moments.count;
  found["nan"] = values.nan;
  found["infinite"] = values.infinite + values.negative_infinite;
  if (values.moments.count == 0) return found;
  found["mean"] = values.moments.mean;
  found["deviation"] = std::sqrt(values.moments.variance());
  found["least"] = values.moments.least;
  found["greatest"] = values.moments.greatest;
  nb::dict percentiles;
  for (std::size_t k = 0; k < values.percentiles.size(); ++k)
    percentiles[nb::float_(percents[k])] = values.percentiles[k];
  found["percentiles"] = percentiles;
  return found;
}

Selection selection_of(const std::string& where) {
  if (where.empty()) return {};
  try {
    return parse_selection(where);
  } catch (const ExpressionError& error) {
    throw nb::value_error(
        ("where '" + where + "', at character " + std::to_string(error.at() + 1) + ": " + error.what())
            .c_str());
  }
}

nb::dict statistics(In image, const std::string& where, nb::object disparity, bool metric, nb::object mask,
                    const std::vector<double>& percents, std::uintptr_t stream) {
  const Frames frames = frames_of(image);
  const Selection selection = selection_of(where);
  for (const double percent : percents)
    if (!(percent >= 0 && percent <= 100))
      throw nb::value_error("a percentile is beyond 0 to 100; give one between");
  Placed placed(stream, image);
  const auto map_of = [&](nb::object map) {
    In array;
    if (map.is_none()) return array;
    array = nb::cast<In>(map);
    if (type_of(array) != Type::f32) throw nb::type_error("depth or mask is not float32; convert it");
    placed.add(array);
    return array;
  };
  const In depth = map_of(disparity), shares = map_of(mask);
  std::vector<ChannelStatistics> channels;
  with_type<std::uint8_t, std::uint16_t, float>(image, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      PixelSources<T> sources;
      sources.image = picture<T>(context, workspace, image, frames);
      if (depth.is_valid()) sources.disparity = picture<float>(context, workspace, depth, frames_of(depth));
      if (shares.is_valid()) sources.mask = picture<float>(context, workspace, shares, frames_of(shares));
      sources.metric = metric;
      channels = pixel_statistics<T>(context, sources, selection, percents);
    });
  });
  nb::dict found;
  for (const ChannelStatistics& channel : channels)
    found[nb::str(std::string(name_of(channel.channel)).c_str())] =
        std::visit([&](const auto& values) { return dictionary(values, percents); }, channel.values);
  return found;
}

}  // namespace

void bind_statistics(nb::module_& module) {
  module.def("statistics", &statistics, nb::arg("image"), nb::arg("where"), nb::arg("disparity").none(),
             nb::arg("metric"), nb::arg("mask").none(), nb::arg("percents"), nb::arg("stream"));
}

}  // namespace scanlens::python
