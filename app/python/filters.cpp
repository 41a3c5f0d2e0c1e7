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

namespace scanlens::python {
namespace {

std::string_view name_of_map(const Filter& filter) {
  return name_of(filter.map);
}

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
    row["map"] = std::string(name_of_map(*filter));
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

/// Runs filters one after the other. `maps` has an array, or None, for each.
void run(const std::vector<std::string>& texts, nb::list maps, In image, Out out, std::uintptr_t stream) {
  const Frames frames = frames_of(image), to_frames = frames_of(out);
  std::vector<FilterCall> calls = calls_of(texts, {frames.width, frames.height});
  if (type_of(image) != type_of(out))
    throw nb::type_error("out is of another type than the image; give one of the image's type");
  Placed placed(stream, image, out);
  std::vector<In> arrays;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (maps[k].is_none()) continue;
    arrays.push_back(nb::cast<In>(maps[k]));
    places.push_back(k);
    placed.add(arrays.back().device_type(), arrays.back().device_id());
    if (type_of(arrays.back()) != Type::f32) throw nb::type_error("masks and depth are float32, 0 to 1");
    if (calls[k].filter->map == MapKind::none)
      throw nb::value_error(
          ("filter: " + std::string(calls[k].filter->name) + " takes no mask or depth").c_str());
  }
  with_type<std::uint8_t, std::uint16_t, float>(image, [&]<class T>(T) {
    run_at(placed, [&](Context& context) {
      Workspace workspace(context);
      for (std::size_t k = 0; k < arrays.size(); ++k)
        calls[places[k]].map = picture<float>(context, workspace, arrays[k], frames_of(arrays[k]));
      run_filters<T>(context, calls, picture<T>(context, workspace, image, frames),
                     picture<T>(out, to_frames));
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
