// Filters by name, as their declarations have them.
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "app/python/contexts.h"
#include "app/python/declared.h"
#include "app/python/groups.h"
#include "core/error.h"
#include "filters/filter.h"
#include "filters/registry.h"
#include "filters/where.h"

namespace scanlens::python {
namespace {

/// Reads "name:key=value", and says what is wrong in Python's words.
FilterCall parsed(const std::string& text) {
  try {
    return parse_filter(text);
  } catch (const Error& error) {
    std::string message = error.what();
    if (const std::size_t at = message.find("--filter "); at == 0) message.erase(0, sizeof("--filter ") - 1);
    throw nb::value_error(("filter " + message).c_str());
  }
}

/// All filters: dictionaries of what they declare.
nb::list declarations() {
  nb::list all;
  for (const Filter* filter : all_filters()) {
    nb::list params;
    for (const Param& param : filter->params) params.append(declared(param));
    nb::dict row;
    row["name"] = std::string(filter->name);
    row["help"] = std::string(filter->help);
    row["map"] = std::string(name_of(filter->map));
    row["metric"] = filter->map == MapKind::any_depth;
    row["where"] = !changes_geometry(*filter);
    row["example"] = std::string(filter->example);
    row["parameters"] = params;
    all.append(row);
  }
  return all;
}

std::vector<FilterCall> calls_of(const std::vector<std::string>& texts, const RowFormat& format) {
  std::vector<FilterCall> calls;
  for (const std::string& text : texts) calls.push_back(parsed(text));
  return at_size(std::move(calls), format);
}

nb::tuple output_size(const std::vector<std::string>& texts, std::int64_t height, std::int64_t width,
                      int channels, int sample_bytes) {
  const RowFormat format{width, height, channels, sample_bytes};
  const RowFormat made = output_of(calls_of(texts, format), format);
  return nb::make_tuple(made.height, made.width, made.channels);
}

/// Returns the weights of a call's part. `depth` may be empty; it is in 1/metre, `most` at most, unless that
/// is 0.
template <class T>
View<const std::uint16_t> weights_of(Context& context, Workspace& workspace, const Where& where,
                                     View<const T> image, View<const float> depth, float most) {
  const auto plane = [&] {
    return View<std::uint16_t>(workspace.take<std::uint16_t>(image.width * image.height), image.width,
                               image.height);
  };
  const View<std::uint16_t> weights = plane();
  FeatherGuide guide;
  if (where.feather_pixels() > 0) guide.plane = plane();
  if (most > 0) guide.most = most;
  weigh(context, where, PixelSources<T>{image, depth, {}, most > 0}, 0, weights, guide);
  feather(context, where, View<const std::uint16_t>(guide.plane), weights);
  return weights;
}

/// Runs filters one after the other. `maps` has an array, or None, for each, and `most` the greatest value of
/// those in 1/metre, or 0.
void run(const std::vector<std::string>& texts, nb::list maps, const std::vector<float>& most, In image,
         Out out, std::uintptr_t stream) {
  const Frames frames = frames_of(image), to_frames = frames_of(out);
  std::vector<FilterCall> calls = calls_of(texts, {frames.width, frames.height});
  if (type_of(image) != type_of(out))
    throw nb::type_error("out is of another type than the image; give one of the image's type");
  Placed placed(stream, image, out);
  std::vector<In> arrays(calls.size());
  bool is_moved = false;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const FilterCall& call = calls[k];
    if (call.where && is_moved)
      throw nb::value_error("where chooses among the image's pixels; call filters that move them apart");
    is_moved |= changes_geometry(*call.filter);
    if (maps[k].is_none()) continue;
    arrays[k] = nb::cast<In>(maps[k]);
    placed.add(arrays[k]);
    if (type_of(arrays[k]) != Type::f32) throw nb::type_error("masks and depth are float32, 0 to 1");
    if (call.filter->map == MapKind::none && !(call.where && call.where->selection.asks_for_depth()))
      throw nb::value_error(
          ("filter: " + std::string(call.filter->name) + " takes no mask or depth").c_str());
  }
  with_type<std::uint8_t, std::uint16_t, float>(image, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      const View<const T> from = picture<T>(context, workspace, image, frames);
      for (std::size_t k = 0; k < calls.size(); ++k) {
        FilterCall& call = calls[k];
        View<const float> map;
        if (arrays[k].is_valid()) map = picture<float>(context, workspace, arrays[k], frames_of(arrays[k]));
        if (call.filter->map != MapKind::none) call.map = map;
        call.metric = most[k] > 0 && call.filter->map == MapKind::any_depth;
        const MapKind kind = call.filter->map;
        const View<const float> depth = kind == MapKind::none || is_depth(kind) ? map : View<const float>();
        if (call.where) call.weights = weights_of(context, workspace, *call.where, from, depth, most[k]);
      }
      run_filters<T>(context, calls, from, picture<T>(out, to_frames));
    });
  });
}

}  // namespace

void bind_filters(nb::module_& module) {
  module.def("filter_declarations", &declarations);
  module.def("filter_output", &output_size);
  module.def("filter", &run);
}

}  // namespace scanlens::python
