#include "app/hosts/blur_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "filters/brightness.h"
#include "filters/depth/fill.h"
#include "filters/depth_of_field.h"
#include "filters/dof_params.h"
#include "filters/lens.h"

namespace scanlens::hosts {
namespace {

/// Contexts that no call uses. They are never destroyed: at the end of a process CUDA may have gone before.
struct Idle {
  std::mutex mutex;
  std::vector<Context> contexts;
};

Idle& idle() {
  static auto* const all = new Idle;
  return *all;
}

Context take_context() {
  {
    const std::lock_guard lock(idle().mutex);
    if (std::vector<Context>& free = idle().contexts; !free.empty()) {
      Context last = std::move(free.back());
      free.pop_back();
      return last;
    }
  }
  return Context::open("auto");
}

/// Keeps a context for the next call; one whose call failed is destroyed instead.
void give_back(Context context) {
  const std::lock_guard lock(idle().mutex);
  idle().contexts.push_back(std::move(context));
}

/// Returns the disparity of a value, in 1/metre or from 0 (farthest) to 1 (nearest); NaN where it is unknown.
float disparity_of(float value, DepthMeans means) {
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  switch (means) {
    case DepthMeans::near_is_white:
      return std::clamp(value, 0.0f, 1.0f);
    case DepthMeans::near_is_black:
      return 1 - std::clamp(value, 0.0f, 1.0f);
    case DepthMeans::per_metre:
      return value >= 0 && std::isfinite(value) ? value : kUnknown;
    case DepthMeans::metres:
      return value > 0 ? 1 / value : kUnknown;
  }
  return kUnknown;
}

/// Makes disparities of a map's values, and returns the least and the greatest.
DepthSpan make_disparities(View<float> map, DepthMeans means) {
  float* const end = map.data + map.extent();
  std::transform(map.data, end, map.data, [&](float value) { return disparity_of(value, means); });
  fill_unknown(map);
  // A map without a known value is far.
  std::replace_if(
      map.data, end, [](float value) { return std::isnan(value); }, 0.0f);
  if (!is_metric(means)) return {};
  const auto [least, most] = std::minmax_element(map.data, end);
  return {true, *least, *most};
}

Blur blur_for(const Settings& settings, const DepthSpan& span, std::int64_t frame_width) {
  const DofValues& values = settings.values;
  if (!span.metric)
    return blur_of(values, values.focus, span, frame_width,
                   radius_of({values.blur, settings.blur}, frame_width));
  // A lens knows no widest blur: the map decides how large the tables are.
  return bounded(blur_of(values, 1 / values.focus, span, frame_width, std::nullopt), span.least, span.most);
}

template <class T>
Brightness clean(View<T> picture) {
  if constexpr (std::is_floating_point_v<T>) {
    std::replace_if(
        picture.data, picture.data + picture.extent(), [](T sample) { return !std::isfinite(sample); }, T{});
    return brightness_of(picture);
  }
  return {};
}

}  // namespace

template <class T>
std::int64_t blur_picture(Image<T>& picture, Image<float> map, const Settings& settings,
                          std::int64_t frame_width) {
  const DepthSpan span = make_disparities(map.view(), settings.means);
  const Blur blur = blur_for(settings, span, frame_width);
  const Brightness brightness = clean(picture.view());
  DofStyle style = settings.values.style(settings.blur == Unit::percent ? frame_width : 100);
  bound_pixels(style);
  Context context = take_context();
  map = upload(context, std::move(map));
  picture = upload(context, std::move(picture));
  depth_of_field<T>(context, std::as_const(picture).view(), std::as_const(map).view(), blur, picture.view(),
                    brightness.light, style);
  picture = download(context, std::move(picture));
  map = {};
  give_back(std::move(context));
  return brightness.clipped;
}

template std::int64_t blur_picture(Image<std::uint8_t>&, Image<float>, const Settings&, std::int64_t);
template std::int64_t blur_picture(Image<std::uint16_t>&, Image<float>, const Settings&, std::int64_t);
template std::int64_t blur_picture(Image<float>&, Image<float>, const Settings&, std::int64_t);

void free_kept_memory() {
  std::vector<Context> freed;
  const std::lock_guard lock(idle().mutex);
  freed.swap(idle().contexts);
}

}  // namespace scanlens::hosts
