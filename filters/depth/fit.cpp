#include "filters/depth/fit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "core/image.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "filters/color.h"
#include "filters/depth/tasks.h"

namespace scanlens {
namespace {

constexpr int kCodes = 256;

/// Sets the pixels of a map between which a place is interpolated, in the roundings of OpenCV's INTER_LINEAR.
void interpolate(EdgePlace& place, std::int64_t i, double step, std::int64_t map_side) {
  const auto at = static_cast<float>((static_cast<double>(i) + 0.5) * step - 0.5);
  const float before = std::floor(at);
  for (int k = 0; k < 2; ++k)
    place.pixels[k] = static_cast<std::int32_t>(within(static_cast<std::int64_t>(before) + k, map_side));
  place.parts[1] = at - before;
  place.parts[0] = 1 - place.parts[1];
}

/// Returns where the columns, or the rows, of a photo lie in a map.
std::vector<EdgePlace> places_of(std::int64_t side, std::int64_t map_side) {
  constexpr double kNear = 0.6;  // standard deviation of the weights of distance, in pixels of the map
  std::vector<EdgePlace> all(static_cast<std::size_t>(side));
  const double step = static_cast<double>(map_side) / static_cast<double>(side);
  const double smooth_step = 1 / (static_cast<double>(side) / static_cast<double>(map_side));
  for (std::int64_t i = 0; i < side; ++i) {
    EdgePlace& place = all[static_cast<std::size_t>(i)];
    const double at = (static_cast<double>(i) + 0.5) * step - 0.5, before = std::floor(at);
    place.before = static_cast<std::int32_t>(before);
    for (int k = 0; k < kEdgeSide; ++k) {
      const double away = before + k - 1 - at;
      place.weights[k] = static_cast<float>(std::exp(-away * away / (2 * kNear * kNear)));
    }
    interpolate(place, i, smooth_step, map_side);
  }
  return all;
}

/// Returns the first column of each cell of a map, from -1 on, and the end of the last one.
std::vector<std::int32_t> starts_of(const std::vector<EdgePlace>& columns, std::int64_t map_side) {
  std::vector<std::int32_t> starts;
  starts.reserve(static_cast<std::size_t>(map_side + 2));
  auto at = columns.begin();
  for (std::int64_t cell = -1; cell <= map_side; ++cell) {
    at = std::find_if(at, columns.end(), [&](const EdgePlace& place) { return place.before >= cell; });
    starts.push_back(static_cast<std::int32_t>(at - columns.begin()));
  }
  return starts;
}

/// Returns a copy of a host's array where the context's backend can read it.
template <class T>
const T* readable(Context& context, Workspace& workspace, const std::vector<T>& host) {
  if (!context.on_cuda()) return host.data();
  T* const device = workspace.take<T>(static_cast<std::int64_t>(host.size()));
  copy_bytes(context, host.data(), 0, device, 0, static_cast<std::int64_t>(host.size() * sizeof(T)), 1);
  return device;
}

template <class T>
ValueRange enlarge_map(Context& context, View<const float> map, View<const T> photo, const ValueRange& within,
                       View<float> out) {
  const char* call = "enlarge";
  require_valid(map, call, "map");
  require_valid(out, call, "out");
  SCANLENS_REQUIRE(map.channels == 1 && out.channels == 1 && !map.empty() && map.width <= out.width &&
                       map.height <= out.height && std::max(out.width, out.height) < INT32_MAX,
                   fmt::format("{}: a map of {} cannot be enlarged to {}", call, shape(map), shape(out)));
  SCANLENS_REQUIRE(!overlap(map, out), "enlarge: `map` and `out` overlap");
  std::vector<EdgePlace> columns = places_of(out.width, map.width), rows = places_of(out.height, map.height);
  for (EdgePlace& column : columns)
    if (column.pixels[0] == column.pixels[1]) column.parts[0] = 1, column.parts[1] = 0;  // as OpenCV does
  const std::vector<std::int32_t> starts = starts_of(columns, map.width);
  Workspace workspace(context);
  const EdgeTask<T> task{map,
                         photo,
                         out,
                         readable(context, workspace, columns),
                         readable(context, workspace, rows),
                         readable(context, workspace, starts),
                         within};
  ValueRange range;
  SCANLENS_DISPATCH(context, enlarge_map, task, range);
  return range;
}

/// Holds the least light of each of sRGB's codes of 8 bits.
std::array<float, kCodes> least_light_of_codes() {
  constexpr float kWhite = 255;
  std::array<float, kCodes> least{};
  for (int code = 1; code < kCodes; ++code) {
    std::uint32_t below = 0, from = std::bit_cast<std::uint32_t>(1.f);
    while (from - below > 1) {
      const std::uint32_t middle = below + (from - below) / 2;
      const auto found = static_cast<int>(linear_to_srgb(std::bit_cast<float>(middle)) * kWhite + 0.5f);
      (found >= code ? from : below) = middle;
    }
    least[static_cast<std::size_t>(code)] = std::bit_cast<float>(from);
  }
  return least;
}

/// Tables that never change.
struct HostTables {
  std::array<float, kCodes> light, codes = least_light_of_codes();
  std::array<float, kJumpSide*(kJumpSide + 1)> weights{};

  HostTables() {
    constexpr double kNear = 2;  // standard deviation of the weights of distance, in pixels
    for (std::size_t i = 0; i < kCodes; ++i) light[i] = srgb_to_linear(static_cast<float>(i) / 255);
    for (int j = 0; j < kJumpSide; ++j)
      for (int i = 0; i < kJumpSide; ++i) {
        const double x = i - kJumpWindow, y = j - kJumpWindow;
        weights[static_cast<std::size_t>(j * (kJumpSide + 1) + i)] =
            static_cast<float>(std::exp(-(x * x + y * y) / (2 * kNear * kNear)));
      }
  }
};

JumpTables jump_tables(Context& context) {
  static const HostTables tables;
  const auto readable = [&](const auto& table) {
    return context.readable(table.data(), static_cast<std::int64_t>(table.size()));
  };
  return {readable(tables.light), readable(tables.codes), readable(tables.weights)};
}

}  // namespace

RangeRanks::RangeRanks(std::int64_t pixels) {
  constexpr double kOddShare = 0.001;        // of the values at each end
  constexpr std::int64_t kEnough = 1 << 18;  // values
  step = pixels / kEnough + 1;
  count = (pixels + step - 1) / step;
  low = static_cast<std::int64_t>(kOddShare * static_cast<double>(count));
  high = count - 1 - low;
}

ValueRange enlarge(Context& context, View<const float> map, const ValueRange& within, View<float> out) {
  return enlarge_map(context, map, View<const std::uint8_t>(), within, out);
}

template <class T>
ValueRange enlarge_along_edges(Context& context, View<const float> map, ConstView<T> photo,
                               const ValueRange& within, View<float> out) {
  require_valid(photo, "enlarge", "photo");
  SCANLENS_REQUIRE(same_size(photo, out),
                   fmt::format("enlarge: `photo` is {} but `out` is {}", shape(photo), shape(out)));
  return enlarge_map<T>(context, map, photo, within, out);
}

template <class T>
MovedJumps move_jumps(Context& context, View<float> map, ConstView<T> photo) {
  require_valid(map, "move_jumps", "map");
  require_valid(photo, "move_jumps", "photo");
  SCANLENS_REQUIRE(same_size(photo, map) && map.channels == 1 && !map.empty(),
                   fmt::format("move_jumps: `photo` is {} but `map` is {}", shape(photo), shape(map)));
  SCANLENS_REQUIRE(std::max(map.width, map.height) < INT32_MAX && map.width * map.height <= UINT32_MAX,
                   fmt::format("move_jumps: a map of {} is too large", shape(map)));
  const JumpTask<T> task{map, photo, jump_tables(context)};
  MovedJumps moved;
  SCANLENS_DISPATCH(context, move_map_jumps, task, moved);
  return moved;
}

std::int64_t moving_bytes(std::int64_t width, std::int64_t height) {
  return cpu::moving_bytes(width, height);
}

#define SCANLENS_INSTANTIATE(T)                                                                            \
  template ValueRange enlarge_along_edges<T>(Context&, View<const float>, ConstView<T>, const ValueRange&, \
                                             View<float>);                                                 \
  template MovedJumps move_jumps<T>(Context&, View<float>, ConstView<T>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
