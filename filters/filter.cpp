#include "filters/filter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/image.h"
#include "core/runtime/checks.h"
#include "core/runtime/kept_memory.h"
#include "filters/where.h"

namespace scanlens {

std::string_view name_of(MapKind map) {
  constexpr std::string_view kNames[] = {"", "mask", "depth", "depth", "picture", "words"};
  return kNames[static_cast<std::size_t>(map)];
}

FilterCall at_size(FilterCall call, const RowFormat& format) {
  for (const Param* param : call.of_size) {
    double& value = param->in(call.params);
    const std::int64_t of =
        param->measure == Measure::pixels_or_percent_of_height ? format.height : format.width;
    const double pixels = value / 100 * static_cast<double>(of);
    const double whole = param->whole ? std::round(pixels) : pixels;
    SCANLENS_REQUIRE(whole >= param->least && whole <= param->most,
                     fmt::format("{}: {} is {}% of {} pixels, but has to be from {} to {} pixels",
                                 call.filter->name, param->name, value, of, param->least, param->most));
    value = whole;
  }
  call.of_size.clear();
  return call;
}

std::vector<FilterCall> at_size(std::vector<FilterCall> calls, RowFormat format) {
  for (FilterCall& call : calls) {
    call = at_size(std::move(call), format);
    format = output_of(call, format);
  }
  return calls;
}

namespace {

/// Throws Error (usage) unless the call's map fits a picture of this size.
void require_map(const FilterCall& call, std::int64_t width, std::int64_t height) {
  const MapKind kind = call.filter->map;
  const View<const float>& map = call.map;
  if (is_overlay(kind)) {
    const int channels = kind == MapKind::words ? 1 : 4;
    SCANLENS_REQUIRE(!map.empty() && map.channels == channels,
                     fmt::format("{}: {} is {}, but has to have {} channel{}", call.filter->name,
                                 name_of(kind), shape(map), channels, channels == 1 ? "" : "s"));
    return;
  }
  const bool takes_map = kind != MapKind::none;
  SCANLENS_REQUIRE(takes_map ? map.width == width && map.height == height && map.channels == 1 : map.empty(),
                   fmt::format("{}: the map is {}, but has to be {}", call.filter->name, shape(map),
                               takes_map ? fmt::format("{} x {} x 1", width, height) : "left out"));
}

}  // namespace

void require_fits(const FilterCall& call, std::int64_t width, std::int64_t height) {
  require_map(call, width, height);
  SCANLENS_REQUIRE(
      call.where ? call.weights.width == width && call.weights.height == height : call.weights.empty(),
      fmt::format("{}: the weights are {}, but have to be {}", call.filter->name, shape(call.weights),
                  call.where ? fmt::format("{} x {} x 1", width, height) : "left out"));
  SCANLENS_REQUIRE(!call.where || !changes_geometry(*call.filter),
                   fmt::format("{}: moves pixels, so that it takes no `where`", call.filter->name));
  SCANLENS_REQUIRE(call.of_size.empty(), fmt::format("{}: percent must become pixels", call.filter->name));
  std::any params = call.params;
  for (const Param& param : call.filter->params) {
    const double value = param.in(params);
    SCANLENS_REQUIRE(
        value >= param.least && value <= param.most && (!param.whole || value == std::floor(value)),
        fmt::format("{}: {} is {}, but has to be a {}number from {} to {}", call.filter->name, param.name,
                    value, param.whole ? "whole " : "", param.least, param.most));
  }
  const std::string problem = call.filter->problem(call.params);
  SCANLENS_REQUIRE(problem.empty(), fmt::format("{}: {}", call.filter->name, problem));
}

RowFormat output_of(const FilterCall& call, const RowFormat& format) {
  return call.filter->output ? call.filter->output(call.params, format) : format;
}

RowFormat output_of(std::span<const FilterCall> calls, const RowFormat& format) {
  RowFormat made = format;
  for (const FilterCall& call : calls) made = output_of(call, made);
  return made;
}

namespace {

template <class T>
RowFormat format_of(View<T> image) {
  return {image.width, image.height, image.channels, sizeof(T)};
}

}  // namespace

template <class T>
void run_filter(Context& context, const FilterCall& call, View<const T> image, View<T> out) {
  const std::string name(call.filter->name);
  require_valid(image, name.c_str(), "image");
  require_valid(out, name.c_str(), "out");
  require_fits(call, image.width, image.height);
  SCANLENS_REQUIRE(image.channels == 1 || image.channels == 3 || image.channels == 4,
                   fmt::format("{}: {} channels are not supported", name, image.channels));
  SCANLENS_REQUIRE(image.width <= kMostFilterSide && image.height <= kMostFilterSide,
                   fmt::format("{}: {} x {} pixels, of at most {} a side", name, image.width, image.height,
                               kMostFilterSide));
  const RowFormat made = output_of(call, format_of(image));
  SCANLENS_REQUIRE(out.width == made.width && out.height == made.height && image.channels == out.channels,
                   fmt::format("{}: `image` is {} but `out` is {}", name, shape(image), shape(out)) +
                       (call.filter->output ? fmt::format(", not {} x {}", made.width, made.height) : ""));
  SCANLENS_REQUIRE(!overlap(image, out) || (image.data == out.data && image.pitch == out.pitch),
                   fmt::format("{}: `image` and `out` overlap without being the same view", name));
  if (image.empty()) return;
  const auto run = [&] { std::get<Filter::Run<T>>(call.filter->run)(context, call, image, out); };
  if (!call.where) return run();
  Workspace workspace(context);
  if (image.data == out.data) {
    const View<T> kept(workspace.take<T>(image.row_samples() * image.height), image.width, image.height,
                       image.channels);
    copy(context, image, kept);
    image = kept;
  }
  run();
  blend<T>(context, image, call.weights, out);
}

template <class T>
void run_filters(Context& context, std::span<const FilterCall> calls, View<const T> image, View<T> out) {
  if (calls.empty() && (image.data != out.data || image.pitch != out.pitch)) copy(context, image, out);
  const auto resizes = [](const FilterCall& call) { return call.filter->output != nullptr; };
  // From the last filter on that changes the size, all is made in `out`.
  const auto last = std::find_if(calls.rbegin(), calls.rend(), resizes);
  std::size_t before = last == calls.rend() ? 0 : static_cast<std::size_t>(calls.rend() - last) - 1;
  KeptMemory memory;
  View<T> to;
  for (const FilterCall& call : calls) {
    const RowFormat made = output_of(call, format_of(image));
    KeptMemory read;  // lives until it is read
    if (before == 0) {
      to = out;
    } else if (--before; to.empty() || to.width != made.width || to.height != made.height) {
      read = std::move(memory);
      memory = KeptMemory(context, static_cast<std::size_t>(made.height) * made.row_bytes());
      to = View<T>(memory.as<T>(), made.width, made.height, made.channels);
    }
    run_filter(context, call, image, to);
    image = to;
  }
}

#define SCANLENS_INSTANTIATE(T)                                                  \
  template void run_filter(Context&, const FilterCall&, View<const T>, View<T>); \
  template void run_filters(Context&, std::span<const FilterCall>, View<const T>, View<T>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
