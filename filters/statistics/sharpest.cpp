// Finds the sharpest part of a picture, for the autofocus.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compact.h"
#include "core/image.h"
#include "core/runtime/checks.h"
#include "core/runtime/device.h"
#include "core/sat.h"
#include "core/sort.h"
#include "filters/statistics.h"
#include "filters/statistics/passes.h"

namespace scanlens {
namespace {

constexpr int kSharpReach = 3;  ///< the variance is over 7 x 7 pixels

float value_at(Context& context, const float* values, std::int64_t rank) {
  float value = 0;
  copy_bytes(context, values + rank, sizeof value, &value, sizeof value, sizeof value, 1);
  context.synchronize();
  return value;
}

/// The variances around all pixels.
template <class T>
void variances(Context& context, View<const T> image, View<float> out) {
  Workspace workspace(context);
  const std::int64_t width = image.width, height = image.height, pixels = width * height;
  const View<std::uint16_t> luma(workspace.take<std::uint16_t>(pixels), width, height);
  const View<std::uint32_t> sums(workspace.take<std::uint32_t>(pixels), width, height);
  const View<std::uint64_t> squares(workspace.take<std::uint64_t>(pixels), width, height);
  luma16(context, image, luma);
  summed_area_tables(context, luma, sums, squares);
  local_variance(context, sums, squares, kSharpReach, out);
}

}  // namespace

template <class T>
std::optional<float> sharpest_disparity(Context& context, View<const T> image, View<const float> disparity) {
  const char* call = "sharpest_disparity";
  require_valid(image, call, "image");
  require_valid(disparity, call, "disparity");
  SCANLENS_REQUIRE(image.channels == 1 || image.channels == 3 || image.channels == 4,
                   fmt::format("{}: {} channels are not supported", call, image.channels));
  SCANLENS_REQUIRE(
      same_size(image, disparity) && disparity.channels == 1,
      fmt::format("{}: `image` is {} but `disparity` is {}", call, shape(image), shape(disparity)));
  SCANLENS_REQUIRE(image.width <= INT32_MAX && image.height <= INT32_MAX,
                   fmt::format("{}: {} is more than {} pixels a side", call, shape(image), INT32_MAX));
  if (image.empty()) return std::nullopt;
  refuse_capture(context, call);

  const std::int64_t pixels = image.width * image.height;
  const auto size = static_cast<std::size_t>(pixels);
  Workspace workspace(context);
  const std::span variance(workspace.take<float>(pixels), size), sorted(workspace.take<float>(pixels), size);
  variances(context, image, View<float>(variance.data(), image.width, image.height));
  sort_keys(context, variance, sorted);
  const auto sharp = std::max<std::int64_t>(1, std::llround(kSharpShare * static_cast<double>(pixels)));
  const float least = value_at(context, sorted.data(), pixels - sharp);
  // If a smaller share varies at all, the rest is not sharp.
  const float bound = std::max(least, std::numeric_limits<float>::denorm_min());

  // The sorted variances are done with, and so are the variances once they are marked.
  auto* const flags = workspace.take<std::uint8_t>(pixels);
  auto* const count = workspace.take<std::uint64_t>(1);
  mark_sharp(context, View<const float>(variance.data(), image.width, image.height), bound, disparity, flags,
             sorted.data());
  const std::span<float> chosen = variance;
  compact_flagged(context, sorted, std::span(flags, size), chosen, count);
  std::uint64_t chosen_count = 0;
  copy_bytes(context, count, sizeof chosen_count, &chosen_count, sizeof chosen_count, sizeof chosen_count, 1);
  context.synchronize();
  if (chosen_count == 0) return std::nullopt;
  sort_keys(context, chosen.first(chosen_count), chosen.first(chosen_count));
  return value_at(context, chosen.data(), static_cast<std::int64_t>(chosen_count / 2));
}

std::int64_t sharpest_disparity_workspace(std::int64_t width, std::int64_t height) {
  // Variances, sorted ones and flags; beside them luma and its tables, or what a sort takes.
  constexpr std::int64_t kKept = 4 + 4 + 1, kTables = 2 + 4 + 8, kCounters = std::int64_t{16} << 20;
  return width * height * (kKept + kTables) + 2 * summed_area_table_workspace(width, height, 1, 8) +
         kCounters;
}

#define SCANLENS_INSTANTIATE(T) \
  template std::optional<float> sharpest_disparity(Context&, View<const T>, View<const float>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
